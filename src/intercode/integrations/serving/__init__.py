"""Episodes for clients elsewhere, whatever protocol they speak: sessions, who may ask, figures and logs."""
