"""An existing data set made one of ours, and how much of it stands: what each gold does when it is really run."""
