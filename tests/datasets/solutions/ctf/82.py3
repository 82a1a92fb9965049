"""The program adds 3 as often as its argument says, in 32 bits: four thousand million rounds that need not be run."""

import re
import sys

code = open("chall_2.S").read()
start = code[: code.index(".L2:")].rpartition(".L3:")[2]
step = int(re.search(r"\[sp, 24\]\n\tadd\tw0, w0, (\d+)", start)[1])
print("picoCTF{%08x}" % (int(re.search(r"argument (\d+)", sys.argv[1])[1]) * step % (1 << 32)))
