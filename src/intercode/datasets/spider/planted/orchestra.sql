USE `orchestra`;
INSERT INTO `conductor` (`Conductor_ID`, `Name`, `Age`, `Nationality`, `Year_of_Work`) VALUES (13, 'Valeri Dutoit', 39, 'UK', 12);
INSERT INTO `orchestra` (`Orchestra_ID`, `Orchestra`, `Conductor_ID`, `Record_Company`, `Year_of_Founded`, `Major_Record_Format`) VALUES (15, 'Valley Orchestra', 13, 'Decca Records', 2005.0, 'CD');
INSERT INTO `conductor` (`Conductor_ID`, `Name`, `Age`, `Nationality`, `Year_of_Work`) VALUES (14, 'Igor Craft', 66, 'USA', 16);
INSERT INTO `orchestra` (`Orchestra_ID`, `Orchestra`, `Conductor_ID`, `Record_Company`, `Year_of_Founded`, `Major_Record_Format`) VALUES (16, 'Detroit Symphony Philharmonic', 3, 'Delos Records', 2006.0, 'South CD');
INSERT INTO `orchestra` (`Orchestra_ID`, `Orchestra`, `Conductor_ID`, `Record_Company`, `Year_of_Founded`, `Major_Record_Format`) VALUES (17, 'Bay Chamber Philharmonic', 14, 'Mercury Records', 2002.0, 'CD');
INSERT INTO `conductor` (`Conductor_ID`, `Name`, `Age`, `Nationality`, `Year_of_Work`) VALUES (15, 'Antal Davis', 50, 'UK', 20);
INSERT INTO `orchestra` (`Orchestra_ID`, `Orchestra`, `Conductor_ID`, `Record_Company`, `Year_of_Founded`, `Major_Record_Format`) VALUES (18, 'Valley Paris', 5, 'Columbia Masterworks', 2003, 'DVD');
INSERT INTO `orchestra` (`Orchestra_ID`, `Orchestra`, `Conductor_ID`, `Record_Company`, `Year_of_Founded`, `Major_Record_Format`) VALUES (19, 'Columbia Symphony Philharmonic', 5, 'Mercury Records', 2004, 'South CD');
