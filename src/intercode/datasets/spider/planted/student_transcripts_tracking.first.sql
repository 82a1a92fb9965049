USE `student_transcripts_tracking`;
INSERT INTO `degree_programs` (`degree_program_id`, `department_id`, `degree_summary_name`, `degree_summary_description`, `other_details`) VALUES (16, 6, 'Bachelor', 'novus', NULL);
INSERT INTO `degree_programs` (`degree_program_id`, `department_id`, `degree_summary_name`, `degree_summary_description`, `other_details`) VALUES (17, 6, 'Master', 'aptus', NULL);
INSERT INTO `students` (`student_id`, `current_address_id`, `permanent_address_id`, `first_name`, `middle_name`, `last_name`, `cell_mobile_number`, `email_address`, `ssn`, `date_first_registered`, `date_left`, `other_student_details`) VALUES (21, 7, 7, 'Willa', 'Ruth', 'Hobbs', '(312)555-0147', 'willa.hobbs@example.com', '31207', '1969-09-08 09:12:00', '2003-06-20 16:30:00', 'rerum');
INSERT INTO `transcript_contents` (`student_course_id`, `transcript_id`) VALUES (2, 1);
INSERT INTO `transcript_contents` (`student_course_id`, `transcript_id`) VALUES (8, 1);
