"""What the tasks of a published data set stand on: layers on top of any base image."""
