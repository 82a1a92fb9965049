"""What else runs commands, as designs of `timing.Design`: plain bubblewrap, SWE-ReX, Inspect, OpenEnv.

None of those keeps files apart from one episode to the next, or tells what has changed. So the tree is written anew for
each reset and names are compared at the end, as for bare bash, and both are counted. In Docker each reset makes a
container of an image that has the tree.
"""
