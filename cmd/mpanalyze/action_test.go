package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gotest.tools/v3/assert"
)

// actionSchema has the rules of GitHub's metadata syntax for composite actions, as far as the
// action uses them: https://docs.github.com/actions/reference/metadata-syntax-reference
const actionSchema = `{
 "type": "object", "additionalProperties": false, "required": ["name", "description", "runs"],
 "properties": {
  "name": {"type": "string", "minLength": 1}, "author": {"type": "string"}, "description": {"type": "string", "minLength": 1},
  "inputs": {
   "type": "object", "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_-]*$"},
   "additionalProperties": {
    "type": "object", "additionalProperties": false, "required": ["description"],
    "properties": {"description": {"type": "string"}, "required": {"type": "boolean"}, "default": {"type": "string"}, "deprecationMessage": {"type": "string"}}
   }
  },
  "runs": {
   "type": "object", "additionalProperties": false, "required": ["using", "steps"],
   "properties": {
    "using": {"const": "composite"},
    "steps": {
     "type": "array", "minItems": 1,
     "items": {
      "type": "object", "additionalProperties": false, "required": ["run", "shell"],
      "properties": {
       "name": {"type": "string"}, "id": {"type": "string"}, "if": {"type": "string"}, "run": {"type": "string"}, "shell": {"type": "string"},
       "working-directory": {"type": "string"}, "env": {"type": "object", "additionalProperties": {"type": "string"}}
      }
     }
    }
   }
  }
 }
}`

// compiled returns the schema that a text is.
func compiled(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	assert.NilError(t, c.AddResource("schema.json", decoded(t, text)))
	schema, err := c.Compile("schema.json")
	assert.NilError(t, err)
	return schema
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	assert.NilError(t, err)
	return v
}

// TestActionIsValid checks the action, which is YAML in the form of JSON, against the schema. Each
// input is used, and what is used is an input.
func TestActionIsValid(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "packaging", "action", "action.yml"))
	assert.NilError(t, err)
	action := decoded(t, text)
	assert.NilError(t, compiled(t, []byte(actionSchema)).Validate(action))
	inputs := action.(map[string]any)["inputs"].(map[string]any)
	for name := range inputs {
		assert.Check(t, strings.Contains(string(text), "${{ inputs."+name+" }}"), "input %s is not used", name)
	}
	n := strings.Count(string(text), "${{ inputs.")
	assert.Check(t, n == len(inputs), "%d inputs, and %d uses", len(inputs), n)
}
