USE `student_transcripts_tracking`;
INSERT INTO `degree_programs` (`degree_program_id`, `department_id`, `degree_summary_name`, `degree_summary_description`, `other_details`) VALUES (16, 6, 'Bachelor', 'novus', NULL);
INSERT INTO `degree_programs` (`degree_program_id`, `department_id`, `degree_summary_name`, `degree_summary_description`, `other_details`) VALUES (17, 6, 'Master', 'aptus', NULL);
