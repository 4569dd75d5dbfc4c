"""One pane a module: a pane shows a state it is given and knows no controller."""
