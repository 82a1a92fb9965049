"""Python tasks: functions and small classes to write, and the hidden tests that judge them."""
