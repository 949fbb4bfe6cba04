"""What people ask for, by command, button or menu. A handler reads, asks and answers; the same ones serve all three."""
