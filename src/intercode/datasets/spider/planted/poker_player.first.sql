USE `poker_player`;
INSERT INTO `people` (`People_ID`, `Nationality`, `Name`, `Birth_Date`, `Height`) VALUES (8, 'Bulgaria', 'Ivan Petrov', 'May 2, 1980', 200);
INSERT INTO `people` (`People_ID`, `Nationality`, `Name`, `Birth_Date`, `Height`) VALUES (9, 'Italy', 'Marco Neri', 'June 5, 1979', 201);
INSERT INTO `people` (`People_ID`, `Nationality`, `Name`, `Birth_Date`, `Height`) VALUES (10, 'Italy', 'Luca Bruni', 'March 9, 1981', 210);
INSERT INTO `people` (`People_ID`, `Nationality`, `Name`, `Birth_Date`, `Height`) VALUES (11, 'Spain', 'Juan Ortega', 'May 1, 1984', 184);
INSERT INTO `poker_player` (`Poker_Player_ID`, `People_ID`, `Final_Table_Made`, `Best_Finish`, `Money_Rank`, `Earnings`) VALUES (6, 8, 50, 4, 12, 300000);
INSERT INTO `poker_player` (`Poker_Player_ID`, `People_ID`, `Final_Table_Made`, `Best_Finish`, `Money_Rank`, `Earnings`) VALUES (7, 9, 60, 5, 20, 300001);
INSERT INTO `poker_player` (`Poker_Player_ID`, `People_ID`, `Final_Table_Made`, `Best_Finish`, `Money_Rank`, `Earnings`) VALUES (8, 10, 70, 2, 99, 200000);
INSERT INTO `poker_player` (`Poker_Player_ID`, `People_ID`, `Final_Table_Made`, `Best_Finish`, `Money_Rank`, `Earnings`) VALUES (9, 11, 44, 6, 30, 199999);
