import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gear } from '../gear.fixture.ts';
import { TemplateError, evaluateGoTemplate, parseGoTemplate } from './index.ts';

const print = (template: string, root: unknown = gear): string =>
  evaluateGoTemplate(parseGoTemplate(template), root);

// The outputs and reasons of kubectl 1.32 for this object.
describe('a Go template', () => {
  it.each<[string, string]>([
    ['{{.metadata.name}}', 'a'],
    ['{{range .spec.items}}{{.name}}={{.n}} {{end}}', 'x=1 y=2.5 z=3000000 '],
    [
      '{{range $i, $e := .spec.items}}{{$i}}:{{$e.name}}{{if $e.tags}} tags{{else}} none{{end}};{{end}}',
      '0:x tags;1:y none;2:z none;',
    ],
    [
      '{{.spec.items}}',
      '[map[m:map[k:v] n:1 name:x tags:[p q]] map[n:2.5 name:y tags:[]] map[n:3000000 name:z nested:[map[a:1] map[a:2]]]]',
    ],
    ['{{.spec.none}}|{{.nope}}|{{.nope.deeper}}', '<no value>|<no value>|<no value>'],
    ['{{.spec.flag}} {{.spec.big}} {{.spec.f}} {{.spec.html}}', 'true 9007199254740993 1e+21 <a&b>'],
    ['{{len .spec.items}} {{index .spec.items 0 "name"}} {{index .metadata.labels "app"}}', '3 x web'],
    [
      '{{printf "%s-%v-%d-%q-%5s|%-5s|%.1f" .metadata.name .spec.flag 3 "x" "a" "b" 2.25}}',
      'a-true-3-"x"-    a|b    |2.2',
    ],
    ['{{with .metadata.labels}}{{.app}}{{end}}{{with .nope}}x{{else}}y{{end}}', 'weby'],
    ['{{ if and .spec.flag (eq .metadata.name "a") }}yes{{ end }}', 'yes'],
    ['{{ if or .nope .metadata.name }}yes{{ end }} {{ not .nope }}', 'yes true'],
    ['{{- .metadata.name -}}   x', 'ax'],
    ['a {{- " b " -}} c', 'a b c'],
    ['{{/* comment */}}z', 'z'],
    ['{{define "T"}}[{{.}}]{{end}}{{template "T" .metadata.name}}', '[a]'],
    ['{{eq 1 1}} {{eq 1.0 1.0}} {{ne "a" "b"}} {{lt 1 2}} {{ge "b" "a"}}', 'true true true true true'],
    ['{{eq (index .spec.items 0).n 1}}', 'true'],
    ['{{range $k, $v := .metadata.labels}}{{$k}}={{$v}},{{end}}', 'app=web,tier=x,'],
    ['{{range .spec.items}}{{if eq .name "y"}}{{break}}{{end}}{{.name}}{{end}}', 'x'],
    ['{{range .spec.items}}{{if eq .name "y"}}{{continue}}{{end}}{{.name}}{{end}}', 'xz'],
    ['{{range .nope}}a{{else}}empty{{end}}', 'empty'],
    ['{{$x := 1}}{{range .spec.items}}{{$x = .n}}{{end}}{{$x}}', '3000000'],
    ['{{.metadata.name | printf "%s!" | len}}', '2'],
    [
      '{{html .spec.html}} {{js .spec.html}} {{urlquery .spec.html}}',
      '&lt;a&amp;b&gt; \\u003Ca\\u0026b\\u003E %3Ca%26b%3E',
    ],
    ['{{println "a" 1 2 "b"}}{{print "a" 1 2 "b" true}}', 'a 1 2 b\na1 2btrue'],
    ['{{base64decode "aGk="}} {{exists . "spec" "flag"}} {{exists . "spec" "zzz"}}', 'hi true false'],
    ['{{slice "hello" 1 3}} {{index .spec.items 0 "tags" 1}}', 'el q'],
    ['{{1.5}} {{3}} {{"s"}} {{true}} {{\'a\'}} {{`raw`}}', '1.5 3 s true 97 raw'],
    [
      '{{printf "%d" 1.5}} {{printf "%s" 3}} {{printf "%s"}} {{printf "x" 1}}',
      '%!d(float64=1.5) %!s(int=3) %!s(MISSING) x%!(EXTRA int=1)',
    ],
    [
      '{{.spec}}',
      'map[big:9007199254740993 f:1e+21 flag:true html:<a&b> items:[map[m:map[k:v] n:1 name:x tags:[p q]] map[n:2.5 name:y tags:[]] map[n:3000000 name:z nested:[map[a:1] map[a:2]]]] none:<nil> s:line\nbreak]',
    ],
    ['{{range $i := .spec.items}}{{$i.name}}{{end}}', 'xyz'],
    ['{{(index .spec.items 2).nested}}', '[map[a:1] map[a:2]]'],
    [
      '{{$.kind}} {{.}}',
      'Gear map[apiVersion:example.com/v1 kind:Gear metadata:map[labels:map[app:web tier:x] name:a] spec:map[big:9007199254740993 f:1e+21 flag:true html:<a&b> items:[map[m:map[k:v] n:1 name:x tags:[p q]] map[n:2.5 name:y tags:[]] map[n:3000000 name:z nested:[map[a:1] map[a:2]]]] none:<nil> s:line\nbreak]]',
    ],
    ['{{if not (and .a .b)}}ok{{end}}', 'ok'],
    ['{{if .x}}a{{else if .kind}}b{{else}}c{{end}}', 'b'],
    ['{{block "B" .kind}}<{{.}}>{{end}}', '<Gear>'],
    [
      '{{printf "%05d|%+d|%x|%X|%t|%T" 42 7 255 "hi" true .spec}}',
      '00042|+7|ff|6869|true|map[string]interface {}',
    ],
    ['{{.metadata.labels.app}}{{"\\t"}}{{"\\n"}}', 'web\t\n'],
  ])('%s prints what kubectl prints', (template, output) => {
    expect(print(template)).toBe(output);
  });

  it.each([
    ['{{.spec.none.x}}', 'nil pointer evaluating interface {}.x'],
    ['{{eq (index .spec.items 0).n 1.0}}', 'error calling eq: incompatible types for comparison'],
    ['{{index .spec.items 9}}', 'error calling index: index out of range: 9'],
    ['{{.spec.flag.x}}', "can't evaluate field x in type interface {}"],
    ['{{foo}}', 'function "foo" not defined'],
    ['{{.metadata.name', 'template: output:1: unclosed action'],
    ['{{if .x}}', 'template: output:1: unexpected EOF'],
    ['{{end}}', 'template: output:1: unexpected {{end}}'],
    ['{{range .spec.flag}}x{{end}}', "range can't iterate over true"],
    ['{{template "nope"}}', 'template "nope" not defined'],
    ['{{nil}}', 'nil is not a command'],
    ['{{len 3}}', 'error calling len: len of type int'],
  ])('%s fails with the reason of kubectl', (template, reason) => {
    expect(() => print(template)).toThrow(new TemplateError(reason));
  });

  it.each([
    ['a function without its arguments', '{{len}}', 'wrong number of args for len: want 1 got 0'],
    ['an undefined variable', '{{$x}}', 'undefined variable "$x"'],
    [
      'a template that calls itself',
      '{{define "T"}}{{template "T"}}{{end}}{{template "T"}}',
      'exceeded maximum template depth',
    ],
    ['deep nesting', '{{if 1}}'.repeat(300), 'depth of nesting'],
    ['an unknown character', '{{.a ; .b}}', 'unexpected "; .b" in action'],
    ['an empty action', '{{}}', 'missing value for command'],
    ['an unclosed parenthesis', '{{(len .a}}', 'unclosed left paren'],
  ])('rejects %s', (_, template, reason) => {
    expect(() => print(template)).toThrow(reason);
  });

  it('prints any value, or fails with TemplateError, for any sequence of actions', () => {
    const words = [
      'if',
      'range',
      'with',
      'end',
      'else',
      '.',
      '.a',
      '$',
      '$x',
      ':=',
      '|',
      '(',
      ')',
      '"s"',
      '1',
      'len',
      'index',
      'and',
      'break',
    ];
    const action = fc.array(fc.constantFrom(...words), { maxLength: 5 }).map((all) => `{{${all.join(' ')}}}`);
    fc.assert(
      fc.property(fc.array(action, { maxLength: 6 }), fc.jsonValue(), (actions, root) => {
        try {
          expect(print(actions.join('t'), root)).toBeTypeOf('string');
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(TemplateError);
        }
      }),
    );
  });
});
