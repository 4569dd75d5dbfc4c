"""The screens: each turns keys into what the controller does and views into what panes show."""
