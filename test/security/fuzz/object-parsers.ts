import { applyManaged } from '../../../api/managed/field-manager.ts';
import { parseFieldsV1 } from '../../../api/managed/fields-v1.ts';
import { parseManagers } from '../../../api/managed/managers.ts';
import { parseElement } from '../../../api/managed/path-element.ts';
import { applyJsonPatch } from '../../../api/patch/json-patch.ts';
import { applyMergePatch } from '../../../api/patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../../../api/patch/strategic-merge.ts';
import { decodeProto, encodeProto, openEnvelope, wrapEnvelope } from '../../../api/protobuf/envelope.ts';
import { decode } from '../../../api/schema/decode.ts';
import { Pod } from '../../../api/types/core-v1-pod.ts';
import { parseYamlStrictly } from '../../../api/yaml/yaml.ts';
import {
  bytesOf,
  type FuzzedParser,
  jsonPieces,
  latin1,
  loose,
  pod,
  podJson,
  yamlPieces,
} from './fuzzed-parser.ts';

const podBinary = encodeProto(Pod, pod);

const patchPieces = [
  ...jsonPieces,
  '"$patch":"delete"',
  '"$patch":"replace"',
  '"$setElementOrder/containers":[]',
  '"$deleteFromPrimitiveList/finalizers":["a"]',
  '"$retainKeys":["a"]',
];

const fieldsV1 =
  '{"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{}}}}';

const yamlSeed = 'a: &a [1, 2]\nb: *a\nc:\n  - d: |\n      text\n  - "e\\n"\n';

/** Parsers of objects. */
export const objects: readonly FuzzedParser[] = [
  { name: 'JSON', seeds: [podJson, '[1,{"a":1,"a":2}]'], pieces: jsonPieces, run: loose },
  {
    name: 'YAML',
    seeds: [yamlSeed, 'apiVersion: v1\nkind: Pod\n'],
    pieces: yamlPieces,
    run: parseYamlStrictly,
  },
  {
    name: 'protobuf messages',
    seeds: [latin1(podBinary)],
    pieces: [
      '\x0a',
      '\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01',
      '\x0a\x00',
      '\x0b',
      '\x0c',
      '\x08\x80',
      '\x00',
    ],
    run: (text) => decodeProto(Pod, bytesOf(text)),
  },
  {
    name: 'protobuf envelopes',
    seeds: [latin1(wrapEnvelope({ apiVersion: 'v1', kind: 'Pod', raw: podBinary }))],
    pieces: ['k8s\x00', '\x0a', '\xff\xff\xff\xff\x0f', '\x22\x05gzip\x00', '\x12'],
    run: (text) => openEnvelope(bytesOf(text)),
  },
  {
    name: 'objects against their schema',
    seeds: [podJson],
    pieces: jsonPieces,
    run: (text) => decode(Pod, loose(text)),
  },
];

/** Parsers of patches and managed fields. */
export const patches: readonly FuzzedParser[] = [
  {
    name: 'JSON patches',
    seeds: [
      '[{"op":"add","path":"/metadata/labels/x","value":1},{"op":"copy","from":"/spec","path":"/a"}]',
      '[{"op":"test","path":"/spec/containers/0/name","value":"c"},{"op":"move","from":"/kind","path":"/spec/containers/-"}]',
    ],
    pieces: [...jsonPieces, '/-', '~0', '~1', '~2', '/0', '"op":"remove"', '"path":""', '/__proto__/x'],
    run: (text) => applyJsonPatch(pod, loose(text)),
  },
  {
    name: 'merge patches',
    seeds: ['{"metadata":{"labels":{"a":null,"x":"y"}},"spec":{"containers":[]}}'],
    pieces: jsonPieces,
    run: (text) => applyMergePatch(pod, loose(text)),
  },
  {
    name: 'strategic merge patches',
    seeds: ['{"spec":{"containers":[{"name":"c","image":"j"},{"$patch":"delete","name":"d"}]}}'],
    pieces: patchPieces,
    run: (text) => applyStrategicMergePatch(pod, loose(text), Pod),
  },
  {
    name: 'apply configurations',
    seeds: [podJson, '{"metadata":{"labels":{"x":"y"}},"spec":{"containers":[{"name":"c"},{"name":"d"}]}}'],
    pieces: jsonPieces,
    run(text) {
      const config = loose(text);
      if (typeof config !== 'object' || config === null) return undefined;
      return applyManaged({
        schema: Pod,
        apiVersion: 'v1',
        manager: 'm',
        subresource: '',
        time: '2026-01-01T00:00:00Z',
        reset: parseFieldsV1({}),
        live: pod,
        config,
        force: true,
        clientSide: { manager: 'kubectl', annotation: 'last-applied' },
      });
    },
  },
  {
    name: 'field sets',
    seeds: [fieldsV1],
    pieces: [...jsonPieces, 'f:', 'k:', 'v:', 'i:'],
    run: (text) => parseFieldsV1(loose(text)),
  },
  {
    name: 'managed fields',
    seeds: [
      `[{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":${fieldsV1}}]`,
    ],
    pieces: [...jsonPieces, '"Apply"', '"Update"'],
    run: (text) => parseManagers(loose(text)),
  },
  {
    name: 'field path elements',
    seeds: ['f:name', 'k:{"a":"b","c":1}', 'v:"x"', 'i:3'],
    pieces: [...jsonPieces, 'f:', 'k:', 'v:', 'i:', '9999999999999999999'],
    run: parseElement,
  },
];
