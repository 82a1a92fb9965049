"""The embedded sandbox: bubblewrap outside, a zygote and runners written in C inside."""
