print("picoCTF{%s}" % format(42, "b"))
