import json

numbers = json.load(open("check.json"))
flag = {
    place: chr((wanted - 7 * place) % 256 ^ mask)
    for place, mask, wanted in zip(numbers["order"], numbers["masks"], numbers["wanted"])
}
print("".join(flag[place] for place in sorted(flag)))
