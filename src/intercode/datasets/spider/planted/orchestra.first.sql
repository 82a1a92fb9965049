USE `orchestra`;
INSERT INTO `orchestra` (`Orchestra_ID`, `Orchestra`, `Conductor_ID`, `Record_Company`, `Year_of_Founded`, `Major_Record_Format`) VALUES (13, 'Bay Chamber Orchestra', 2, 'Decca Records', 2005, 'CD');
INSERT INTO `orchestra` (`Orchestra_ID`, `Orchestra`, `Conductor_ID`, `Record_Company`, `Year_of_Founded`, `Major_Record_Format`) VALUES (14, 'Valley Philharmonic', 7, 'Kultur', 2001, 'DVD');
INSERT INTO `performance` (`Performance_ID`, `Orchestra_ID`, `Type`, `Date`, `Official_ratings_(millions)`, `Weekly_rank`, `Share`) VALUES (12, 1, 'Auditions 6', '18 June', 6.25, '10', '25.1%');
INSERT INTO `performance` (`Performance_ID`, `Orchestra_ID`, `Type`, `Date`, `Official_ratings_(millions)`, `Weekly_rank`, `Share`) VALUES (13, 13, 'Live final', '19 June', 7.5, '6', '46.2%');
