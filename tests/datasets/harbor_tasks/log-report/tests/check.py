import json

with open("/app/report.json") as file:
    assert json.load(file) == {"200": 3, "404": 1, "500": 1}
