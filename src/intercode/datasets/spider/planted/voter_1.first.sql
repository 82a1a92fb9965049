USE `voter_1`;
INSERT INTO `VOTES` (`vote_id`, `phone_number`, `state`, `contestant_number`, `created`) VALUES (6, 5551234, 'CA', 3, '2018-03-10 00:04:10');
INSERT INTO `VOTES` (`vote_id`, `phone_number`, `state`, `contestant_number`, `created`) VALUES (7, 5552345, 'NJ', 2, '2018-03-10 00:04:15');
INSERT INTO `VOTES` (`vote_id`, `phone_number`, `state`, `contestant_number`, `created`) VALUES (8, 5553456, 'NJ', 5, '2018-03-10 00:04:20');
INSERT INTO `VOTES` (`vote_id`, `phone_number`, `state`, `contestant_number`, `created`) VALUES (9, 5554567, 'NJ', 5, '2018-03-10 00:04:20');
INSERT INTO `VOTES` (`vote_id`, `phone_number`, `state`, `contestant_number`, `created`) VALUES (10, 5556789, 'TX', 7, '2018-03-10 00:04:25');
