package live

import "encoding/json"

// Reasons say why fields are null. The keys are the JSON names of the fields.
type Reasons map[string]string

// MarshalJSON writes an empty object, not null, if there are no reasons.
func (r Reasons) MarshalJSON() ([]byte, error) {
	if r == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]string(r))
}

// set stores why some fields are null.
func (r *Reasons) set(why string, fields ...string) {
	if *r == nil {
		*r = Reasons{}
	}
	for _, f := range fields {
		(*r)[f] = why
	}
}
