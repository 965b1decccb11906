package live

import "encoding/json"

// Reasons say of fields that are null why, by their JSON names.
type Reasons map[string]string

// MarshalJSON writes an object also where there are no reasons.
func (r Reasons) MarshalJSON() ([]byte, error) {
	if r == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(map[string]string(r))
}

// set enters why some fields are null.
func (r *Reasons) set(why string, fields ...string) {
	if *r == nil {
		*r = Reasons{}
	}
	for _, f := range fields {
		(*r)[f] = why
	}
}
