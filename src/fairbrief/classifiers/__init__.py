"""What single texts and names give away: who is named, of which gender, in which tone, with which labels."""
