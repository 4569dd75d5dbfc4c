"""The tests, and the recorded cases and measurements they use."""
