-- The public library of a small town: its books, who reads them, and who is late.

CREATE TABLE authors (
  id INTEGER NOT NULL PRIMARY KEY,
  name VARCHAR(60) NOT NULL,
  country VARCHAR(40) NOT NULL,
  born INTEGER
);

CREATE TABLE books (
  id INTEGER NOT NULL PRIMARY KEY,
  title VARCHAR(80) NOT NULL,
  author_id INTEGER,
  genre VARCHAR(20) NOT NULL,
  published INTEGER NOT NULL,
  pages INTEGER NOT NULL,
  FOREIGN KEY (author_id) REFERENCES authors (id)
);

CREATE TABLE copies (
  id INTEGER NOT NULL PRIMARY KEY,
  book_id INTEGER NOT NULL,
  shelf VARCHAR(4) NOT NULL,
  acquired DATE NOT NULL,
  state VARCHAR(10) NOT NULL,
  FOREIGN KEY (book_id) REFERENCES books (id)
);

CREATE TABLE members (
  id INTEGER NOT NULL PRIMARY KEY,
  name VARCHAR(60) NOT NULL,
  town VARCHAR(40) NOT NULL,
  joined DATE NOT NULL,
  left_on DATE
);

CREATE TABLE loans (
  id INTEGER NOT NULL PRIMARY KEY,
  copy_id INTEGER NOT NULL,
  member_id INTEGER NOT NULL,
  lent DATE NOT NULL,
  due DATE NOT NULL,
  returned DATE,
  FOREIGN KEY (copy_id) REFERENCES copies (id),
  FOREIGN KEY (member_id) REFERENCES members (id)
);

CREATE TABLE fines (
  id INTEGER NOT NULL PRIMARY KEY,
  loan_id INTEGER NOT NULL,
  amount DECIMAL(6,2) NOT NULL,
  paid DATE,
  FOREIGN KEY (loan_id) REFERENCES loans (id)
);

INSERT INTO authors (id, name, country, born) VALUES
(1, 'Agnes Thorvald', 'Norway', 1948),
(2, 'Bela Kormos', 'Hungary', 1931),
(3, 'Carla Ventresca', 'Italy', 1975),
(4, 'Dimitri Aslanov', 'Georgia', NULL),
(5, 'Edith Marlowe', 'England', 1902),
(6, 'Fionn Garrigan', 'Ireland', 1983),
(7, 'Greta Sundqvist', 'Sweden', 1966),
(8, 'Hamid Farrokh', 'Iran', 1959),
(9, 'Ines Valadares', 'Portugal', 1990),
(10, 'Jonas Pfeil', 'Austria', 1978);

INSERT INTO books (id, title, author_id, genre, published, pages) VALUES
(1, 'The Salt Ferry', 1, 'novel', 1979, 312),
(2, 'Winter Accounts', 1, 'novel', 1991, 268),
(3, 'A Map of Small Rivers', 2, 'travel', 1968, 190),
(4, 'The Clockmaker''s Debt', 2, 'crime', 1974, 224),
(5, 'Eleven Windows', 3, 'novel', 2009, 401),
(6, 'The Lemon Tax', 3, 'history', 2016, 355),
(7, 'Mountains Have No Doors', 4, 'poetry', 1986, 96),
(8, 'Murder at Low Tide', 5, 'crime', 1934, 208),
(9, 'Murder in the Reading Room', 5, 'crime', 1937, 231),
(10, 'The Bishop''s Bicycle', 5, 'crime', 1951, 199),
(11, 'Peat', 6, 'novel', 2014, 287),
(12, 'How to Mend a Wall', 6, 'craft', 2019, 144),
(13, 'The Lighthouse Children', 7, 'children', 1998, 120),
(14, 'The Lighthouse Children Return', 7, 'children', 2001, 128),
(15, 'Bees for Beginners', 7, 'craft', 2010, 176),
(16, 'Saffron and Dust', 8, 'history', 1995, 420),
(17, 'A Short Book of Long Walks', 8, 'travel', 2004, 160),
(18, 'Tide Tables', 9, 'poetry', 2017, 88),
(19, 'The Night Bakery', 9, 'children', 2020, 64),
(20, 'Glass, Sand, Fire', 10, 'craft', 2012, 233),
(21, 'The Last Toll Road', 10, 'history', 2018, 378),
(22, 'Unsent Letters', NULL, 'novel', 1911, 152);

INSERT INTO copies (id, book_id, shelf, acquired, state) VALUES
(101, 1, 'E8', '2019-09-28', 'good'), (102, 1, 'B9', '2020-11-20', 'worn'),
(103, 1, 'A8', '2014-03-03', 'good'), (104, 2, 'E7', '2019-11-24', 'worn'),
(105, 3, 'E1', '2021-02-02', 'good'), (106, 4, 'E1', '2019-06-15', 'good'),
(107, 5, 'E4', '2019-05-16', 'good'), (108, 6, 'D5', '2022-09-27', 'good'),
(109, 7, 'C4', '2021-05-01', 'good'), (110, 7, 'A7', '2008-05-13', 'good'),
(111, 8, 'A1', '2011-04-02', 'good'), (112, 8, 'F7', '2018-02-19', 'worn'),
(113, 8, 'F5', '2015-02-10', 'good'), (114, 8, 'D2', '2009-04-23', 'good'),
(115, 9, 'D8', '2010-11-18', 'good'), (116, 10, 'F3', '2018-11-13', 'good'),
(117, 11, 'B1', '2018-10-10', 'damaged'), (118, 11, 'A4', '2016-07-28', 'worn'),
(119, 11, 'E2', '2014-03-07', 'good'), (120, 12, 'E6', '2021-07-03', 'good'),
(121, 13, 'B4', '2005-10-12', 'good'), (122, 13, 'D3', '2023-08-27', 'good'),
(123, 13, 'D3', '2009-05-08', 'worn'), (124, 13, 'B4', '2010-12-21', 'damaged'),
(125, 14, 'F7', '2020-10-03', 'good'), (126, 15, 'A1', '2018-05-08', 'worn'),
(127, 16, 'C7', '2020-05-17', 'good'), (128, 16, 'F2', '2009-04-16', 'good'),
(129, 16, 'E2', '2013-04-07', 'worn'), (130, 17, 'C7', '2019-04-02', 'good'),
(131, 19, 'E3', '2020-06-05', 'worn'), (132, 19, 'C9', '2021-10-02', 'damaged'),
(133, 20, 'C5', '2012-01-20', 'worn'), (134, 20, 'D2', '2023-05-11', 'good'),
(135, 20, 'A2', '2019-09-12', 'worn'), (136, 21, 'C6', '2018-11-16', 'damaged'),
(137, 22, 'A8', '2023-01-20', 'worn'), (138, 22, 'D1', '2007-02-03', 'worn'),
(139, 22, 'C7', '2015-07-24', 'worn');

INSERT INTO members (id, name, town, joined, left_on) VALUES
(1, 'Alma Brandt', 'Altdorf', '2012-08-15', NULL),
(2, 'Boris Keller', 'Bergheim', '2012-08-27', NULL),
(3, 'Cecilia Aune', 'Altdorf', '2013-09-03', NULL),
(4, 'David Okafor', 'Seefeld', '2013-09-25', '2021-08-31'),
(5, 'Elena Petrova', 'Seefeld', '2014-09-01', NULL),
(6, 'Felix Amsler', 'Bergheim', '2015-05-20', NULL),
(7, 'Gloria Nunez', 'Altdorf', '2015-02-16', NULL),
(8, 'Hugo Lindgren', 'Talbach', '2016-01-08', NULL),
(9, 'Ida Castellani', 'Altdorf', '2017-12-04', NULL),
(10, 'Jakob Winter', 'Talbach', '2017-08-25', '2023-02-15'),
(11, 'Kira Halloran', 'Seefeld', '2018-10-22', NULL),
(12, 'Lars Engstrom', 'Altdorf', '2019-08-09', NULL),
(13, 'Mona Adeyemi', 'Bergheim', '2019-01-12', NULL),
(14, 'Nils Bergmann', 'Altdorf', '2020-05-05', NULL),
(15, 'Olga Savic', 'Seefeld', '2021-11-20', NULL),
(16, 'Pablo Serrano', 'Talbach', '2021-04-17', NULL),
(17, 'Rita Fonseca', 'Bergheim', '2022-03-25', NULL),
(18, 'Samuel Thorne', 'Altdorf', '2023-06-22', NULL);

INSERT INTO loans (id, copy_id, member_id, lent, due, returned) VALUES
(1, 135, 5, '2023-09-04', '2023-10-02', '2023-09-27'),
(2, 113, 5, '2023-09-07', '2023-10-05', '2023-09-27'),
(3, 138, 7, '2023-09-08', '2023-10-06', '2023-10-09'),
(4, 108, 9, '2023-09-09', '2023-10-07', '2023-09-17'),
(5, 119, 14, '2023-09-14', '2023-10-12', '2023-10-05'),
(6, 110, 18, '2023-09-14', '2023-10-12', '2023-10-07'),
(7, 127, 16, '2023-09-16', '2023-10-14', '2023-10-08'),
(8, 101, 16, '2023-09-17', '2023-10-15', '2023-09-26'),
(9, 121, 2, '2023-09-17', '2023-10-15', '2023-10-27'),
(10, 111, 3, '2023-09-20', '2023-10-18', '2023-10-16'),
(11, 107, 5, '2023-09-20', '2023-10-18', '2023-10-03'),
(12, 126, 13, '2023-09-25', '2023-10-23', '2023-11-05'),
(13, 122, 15, '2023-09-25', '2023-10-23', '2023-10-11'),
(14, 120, 11, '2023-09-25', '2023-10-23', '2023-10-13'),
(15, 105, 15, '2023-09-26', '2023-10-24', '2023-10-23'),
(16, 103, 6, '2023-09-29', '2023-10-27', '2023-10-26'),
(17, 118, 2, '2023-09-29', '2023-10-27', '2023-10-15'),
(18, 130, 2, '2023-10-01', '2023-10-29', '2023-10-05'),
(19, 134, 7, '2023-10-02', '2023-10-30', '2023-10-08'),
(20, 129, 18, '2023-10-07', '2023-11-04', '2023-10-23'),
(21, 112, 9, '2023-10-07', '2023-11-04', '2023-10-18'),
(22, 127, 18, '2023-10-12', '2023-11-09', '2023-10-22'),
(23, 109, 6, '2023-10-17', '2023-11-14', '2023-11-05'),
(24, 110, 8, '2023-10-20', '2023-11-17', '2023-11-07'),
(25, 125, 1, '2023-10-20', '2023-11-17', '2023-12-05'),
(26, 135, 2, '2023-10-20', '2023-11-17', '2023-11-08'),
(27, 113, 5, '2023-10-23', '2023-11-20', '2023-10-29'),
(28, 123, 2, '2023-10-26', '2023-11-23', '2023-11-10'),
(29, 105, 15, '2023-10-28', '2023-11-25', '2023-10-30'),
(30, 101, 14, '2023-10-29', '2023-11-26', '2023-11-23'),
(31, 105, 9, '2023-11-01', '2023-11-29', '2023-11-06'),
(32, 133, 11, '2023-11-02', '2023-11-30', '2023-11-04'),
(33, 126, 3, '2023-11-07', '2023-12-05', '2023-11-29'),
(34, 115, 18, '2023-11-12', '2023-12-10', '2023-12-02'),
(35, 137, 3, '2023-11-14', '2023-12-12', '2023-11-26'),
(36, 138, 2, '2023-11-15', '2023-12-13', '2023-11-24'),
(37, 114, 2, '2023-11-17', '2023-12-15', '2023-12-02'),
(38, 108, 8, '2023-11-18', '2023-12-16', '2023-12-15'),
(39, 130, 7, '2023-11-23', '2023-12-21', '2023-12-06'),
(40, 121, 14, '2023-11-25', '2023-12-23', '2023-12-22'),
(41, 102, 16, '2023-11-25', '2023-12-23', '2023-12-13'),
(42, 107, 2, '2023-11-26', '2023-12-24', '2024-01-03'),
(43, 106, 14, '2023-11-26', '2023-12-24', '2023-12-22'),
(44, 122, 11, '2023-11-29', '2023-12-27', '2023-12-07'),
(45, 111, 3, '2023-11-29', '2023-12-27', '2023-12-12'),
(46, 134, 2, '2023-11-30', '2023-12-28', '2023-12-27'),
(47, 139, 18, '2023-11-30', '2023-12-28', '2023-12-14'),
(48, 129, 7, '2023-12-05', '2024-01-02', '2024-01-11'),
(49, 109, 7, '2023-12-08', '2024-01-05', '2024-01-01'),
(50, 120, 5, '2023-12-09', '2024-01-06', '2023-12-13'),
(51, 101, 7, '2023-12-09', '2024-01-06', '2023-12-30'),
(52, 119, 5, '2023-12-11', '2024-01-08', '2023-12-31'),
(53, 126, 9, '2023-12-14', '2024-01-11', '2024-01-07'),
(54, 102, 2, '2023-12-19', '2024-01-16', '2024-01-13'),
(55, 127, 1, '2023-12-22', '2024-01-19', '2024-01-13'),
(56, 113, 6, '2023-12-24', '2024-01-21', '2024-01-12'),
(57, 130, 18, '2023-12-29', '2024-01-26', NULL),
(58, 128, 13, '2023-12-29', '2024-01-26', NULL),
(59, 120, 9, '2023-12-30', '2024-01-27', '2024-01-16'),
(60, 122, 9, '2023-12-30', '2024-01-27', '2024-01-17'),
(61, 125, 6, '2024-01-01', '2024-01-29', NULL),
(62, 101, 1, '2024-01-03', '2024-01-31', '2024-01-23');

INSERT INTO fines (id, loan_id, amount, paid) VALUES
(1, 3, 0.60, NULL),
(2, 9, 2.40, '2023-10-30'),
(3, 12, 2.60, '2023-11-08'),
(4, 25, 3.60, '2023-12-12'),
(5, 42, 2.00, NULL),
(6, 48, 1.80, '2024-01-13');
