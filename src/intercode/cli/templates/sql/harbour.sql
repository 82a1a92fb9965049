CREATE TABLE boats (id INT PRIMARY KEY, name VARCHAR(40), built INT);
INSERT INTO boats VALUES (1, 'Heron', 1987), (2, 'Tern', 2004), (3, 'Bittern', 1979), (4, 'Avocet', 2011);
CREATE TABLE trips (id INT PRIMARY KEY, boat INT, day VARCHAR(10), passengers INT);
INSERT INTO trips VALUES (1, 1, '2024-05-01', 12), (2, 1, '2024-05-02', 9), (3, 2, '2024-05-01', 30), (4, 3, '2024-05-03', 4);
