package packet

// Origin is how long before the Unix epoch the program's time begins, ns: 640,000 hours,
// about 73 years. Capture files count from the Unix epoch; a capture may begin there, and
// simulators do that. In the program every packet's time is above 0, so a field that is 0 has no
// time. Full hours are full hours in both.
const Origin int64 = 640_000 * 3600 * 1e9

// Unix returns a time of the program as nanoseconds since the Unix epoch, for output.
func Unix(t int64) int64 { return t - Origin }
