CREATE TABLE boats (id INT PRIMARY KEY, name VARCHAR(40), built INT);
INSERT INTO boats VALUES (1, 'Heron', 1987), (2, 'Tern', 2004), (3, 'Bittern', 1979), (4, 'Avocet', 2011);
CREATE TABLE trips (id INT PRIMARY KEY, boat INT, day VARCHAR(10), passengers INT);
INSERT INTO trips VALUES (11, 1, '2024-05-01', 12), (12, 1, '2024-05-02', 9), (13, 1, '2024-05-03', 16),
  (14, 2, '2024-05-01', 30), (15, 2, '2024-05-04', 28), (16, 3, '2024-05-03', 24), (17, 3, '2024-05-04', 26);
