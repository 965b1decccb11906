package extract

// Look sets how many packets one analysis chooses from.
func (c *Choice) Look(packets uint64) { c.window = packets }

// Words returns how many words of bits the choice takes.
func (c *Choice) Words() int { return len(c.chosen) }
