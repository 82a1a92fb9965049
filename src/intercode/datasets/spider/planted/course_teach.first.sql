USE `course_teach`;
INSERT INTO `teacher` (`Teacher_ID`, `Name`, `Age`, `Hometown`) VALUES (8, 'Marta Olsen', '42', 'Turton Urban District');
INSERT INTO `teacher` (`Teacher_ID`, `Name`, `Age`, `Hometown`) VALUES (9, 'Paul Greene', '30', 'Turton Urban District');
INSERT INTO `teacher` (`Teacher_ID`, `Name`, `Age`, `Hometown`) VALUES (10, 'Ines Duarte', '28', 'Bolton County Borough');
