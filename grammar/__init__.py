"""From the text of a serQ program to its kernel IR; knows no engine and no screen."""
