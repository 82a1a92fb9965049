LOAD, XOR, ADD, ROLL, WANT, END = range(0x10, 0x16)
program = open("program.bin", "rb").read()
flag, steps = {}, []
for what, number in zip(program[::2], program[1::2]):
    if what == LOAD:
        place, steps = number, []
    elif what == WANT:
        for step, by in reversed(steps):
            if step == XOR:
                number ^= by
            elif step == ADD:
                number = (number - by) % 256
            else:
                number = (number >> by | number << 8 - by) % 256
        flag[place] = chr(number)
    else:
        steps.append((what, number))
print("".join(flag[place] for place in sorted(flag)))
