USE `cre_doc_template_mgt`;
INSERT INTO `paragraphs` (`Paragraph_ID`, `Document_ID`, `Paragraph_Text`, `Other_Details`) VALUES (946335440, 2394, 'Iceland\nNorway', NULL);
