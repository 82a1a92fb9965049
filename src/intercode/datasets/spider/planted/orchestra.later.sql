USE `orchestra`;
INSERT INTO `conductor` (`Conductor_ID`, `Name`, `Age`, `Nationality`, `Year_of_Work`) VALUES (913, 'Clara Weiss', 61, 'Austria', 5);
INSERT INTO `orchestra` (`Orchestra_ID`, `Orchestra`, `Conductor_ID`, `Record_Company`, `Year_of_Founded`, `Major_Record_Format`) VALUES (915, 'Lakeside Symphony', 9, 'Mercury Records', 2006, 'CD');
INSERT INTO `orchestra` (`Orchestra_ID`, `Orchestra`, `Conductor_ID`, `Record_Company`, `Year_of_Founded`, `Major_Record_Format`) VALUES (916, 'Hillside Orchestra', 10, 'Kultur', 2003, 'CD / LP');
INSERT INTO `orchestra` (`Orchestra_ID`, `Orchestra`, `Conductor_ID`, `Record_Company`, `Year_of_Founded`, `Major_Record_Format`) VALUES (917, 'Northern Players', 11, 'Delos Records', 2004, 'DVD');
INSERT INTO `orchestra` (`Orchestra_ID`, `Orchestra`, `Conductor_ID`, `Record_Company`, `Year_of_Founded`, `Major_Record_Format`) VALUES (918, 'City Strings', 7, 'RCA', 2007, 'CD');
