"""The engine's tests, by subject; a test's name is the rule it proves."""
