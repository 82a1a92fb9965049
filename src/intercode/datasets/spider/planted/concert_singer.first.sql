USE `concert_singer`;
INSERT INTO `stadium` (`Stadium_ID`, `Location`, `Name`, `Capacity`, `Highest`, `Lowest`, `Average`) VALUES (11, 'Falkirk Town', 'Westfield', 5000, 3100, 800, 1900);
INSERT INTO `stadium` (`Stadium_ID`, `Location`, `Name`, `Capacity`, `Highest`, `Lowest`, `Average`) VALUES (12, 'Perth Saints', 'Muirton Ground', 10000, 4100, 1200, 2005);
INSERT INTO `stadium` (`Stadium_ID`, `Location`, `Name`, `Capacity`, `Highest`, `Lowest`, `Average`) VALUES (13, 'Dumfries Rovers', 'Palmer Field', 7500, 2200, 640, 1210);
INSERT INTO `concert` (`concert_ID`, `concert_Name`, `Theme`, `Stadium_ID`, `Year`) VALUES (7, 'Night Show', 'Bright Lights', 4, '2013');
INSERT INTO `concert` (`concert_ID`, `concert_Name`, `Theme`, `Stadium_ID`, `Year`) VALUES (8, 'Second Night', 'Bright Lights', 4, '2016');
