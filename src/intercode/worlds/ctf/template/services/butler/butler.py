"""What lies beside this file is laid out in /srv of a sandbox that the agent cannot look into."""

from pathlib import Path

print("Good evening. What do you say?")
if input().strip().lower() == "please":
    print(Path("flag.txt").read_text())
else:
    print("I beg your pardon?")
