"""What hackcheck checks: each kind of target is one file with a `GradedTarget`, and `peers` plays other frameworks'."""
