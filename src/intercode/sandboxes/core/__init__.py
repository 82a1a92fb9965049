"""What sandboxes of every kind share: checks of commands, users of a session, folders that go in and out."""
