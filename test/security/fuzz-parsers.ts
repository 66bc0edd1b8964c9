import { parseJsonPath } from '../../api/extensions/json-path-parser.ts';
import { findAll } from '../../api/extensions/json-path-search.ts';
import { applyManaged } from '../../api/managed/field-manager.ts';
import { parseFieldsV1 } from '../../api/managed/fields-v1.ts';
import { parseManagers } from '../../api/managed/managers.ts';
import { parseElement } from '../../api/managed/path-element.ts';
import { applyJsonPatch } from '../../api/patch/json-patch.ts';
import { applyMergePatch } from '../../api/patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../../api/patch/strategic-merge.ts';
import { decodeProto, encodeProto, openEnvelope, wrapEnvelope } from '../../api/protobuf/envelope.ts';
import { canonicalQuantity, parseQuantity } from '../../api/quantity/quantity.ts';
import { decode } from '../../api/schema/decode.ts';
import { parseJson } from '../../api/schema/json.ts';
import { canonicalMicroTime, canonicalTime, parseDuration } from '../../api/schema/times.ts';
import { parseFieldSelector } from '../../api/selectors/fields.ts';
import { parseLabelSelector } from '../../api/selectors/labels.ts';
import { compilePattern } from '../../api/structural/pattern.ts';
import { Pod } from '../../api/types/core-v1-pod.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { parsePolicy } from '../../apiserver/audit/policy.ts';
import { parseBearer } from '../../apiserver/auth/bearer.ts';
import { readImpersonation } from '../../apiserver/auth/impersonation.ts';
import { readUnverified } from '../../apiserver/auth/json-web-token.ts';
import { readIdentity } from '../../apiserver/auth/request-header.ts';
import { parseTokenFile } from '../../apiserver/auth/token-file.ts';
import { parseAbacPolicies } from '../../apiserver/authorization/abac-policy.ts';
import { createNegotiator } from '../../apiserver/http/response/negotiation.ts';
import { MalformedPath } from '../../base/http/request-target.ts';
import { parseRequestInfo } from '../../apiserver/http/request/request-info.ts';
import { parseYamlStrictly } from '../../api/yaml/yaml.ts';
import { decodeContinuation, encodeContinuation } from '../../apiserver/registry/read/continue-token.ts';
import { parseCron } from '../../base/cron/cron.ts';
import { parseGoDuration } from '../../base/cron/duration.ts';
import { createCertificateAuthority } from '../../base/pki/certificates.ts';
import { readPathConstraints } from '../../base/pki/constraints.ts';
import { generateKeyPair } from '../../base/pki/keys.ts';
import { parsePem } from '../../base/pki/pem.ts';
import { noAlternativeNames } from '../../base/pki/alternative-names.ts';
import { readName } from '../../base/pki/subject.ts';
import { createCertificateRequest, parseCertificateRequest } from '../../base/pki/request.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';

/** One parser that meets a stranger's bytes. Bytes are handed over as latin-1 text, one character each. */
export interface FuzzedParser {
  readonly name: string;
  /** Texts that it takes, from which the others are made. */
  readonly seeds: readonly string[];
  /** Pieces that mean something to it. */
  readonly pieces: readonly string[];
  /** May throw what it says it throws, nothing else. */
  run(text: string): unknown;
}

const vocabulary = kubernetesVocabulary;
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const loose = (text: string): unknown => parseJson(bytesOf(text)).value;
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const keys = generateKeyPair('ec-p256');
const authority = createCertificateAuthority(
  { commonName: 'fuzz', organizations: ['o'] },
  keys,
  { notBeforeMs: 0, notAfterMs: 1e12 },
  createSeededRandom(1),
);
const [certificateBlock] = parsePem(authority.certificatePem);
const request = createCertificateRequest(
  keys,
  { commonName: 'system:node:a', organizations: ['system:nodes'] },
  { ...noAlternativeNames, dnsNames: ['a.example'] },
);
const [requestBlock] = parsePem(request);

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', labels: { a: 'b' }, annotations: { c: 'd' } },
  spec: {
    containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: '1' }] }],
    tolerations: [{ key: 'k', operator: 'Exists' }],
  },
};
const podJson = JSON.stringify(pod);
const podBinary = encodeProto(Pod, pod);
const jsonPieces = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  'null',
  '1e999',
  '-0',
  '\\ud800',
  '"__proto__":',
  '0.1',
  '\\',
];
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
const yamlPieces = [
  '&a',
  '*a',
  '!!binary',
  '- ',
  '? ',
  ': ',
  '|',
  '>',
  '\n',
  '  ',
  '{',
  '[',
  '<<: *a',
  '---',
  '%',
  "'",
  '"',
  '\t',
  '#',
];
const yamlSeed = 'a: &a [1, 2]\nb: *a\nc:\n  - d: |\n      text\n  - "e\\n"\n';

const headersOf = (text: string): Record<string, string[]> =>
  Object.fromEntries(
    text.split('\n').map((line): [string, string[]] => {
      const colon = line.indexOf(':');
      return [line.slice(0, Math.max(colon, 0)).toLowerCase(), line.slice(colon + 1).split('|')];
    }),
  );
const negotiate = createNegotiator(vocabulary);

const tokens: readonly FuzzedParser[] = [
  {
    name: 'JSON web tokens, read',
    seeds: [`${base64url({ alg: 'ES256', kid: 'k' })}.${base64url({ iss: 'i', aud: ['a'], exp: 1 })}.AAAA`],
    pieces: ['.', '..', '=', base64url({ alg: 'none' }), base64url([1]), '{}', '-_'],
    run: readUnverified,
  },
  {
    name: 'Authorization headers',
    seeds: ['Bearer abc.def.ghi', 'bearer x'],
    pieces: ['Bearer', ' ', '  ', 'Basic', '\t', '\u00a0'],
    run: parseBearer,
  },
  {
    name: 'token files',
    seeds: ['t,u,1,"a,b"\nt2,u2,2\n'],
    pieces: ['"', '""', ',', '\n', '\r\n', '\uFEFF'],
    run: parseTokenFile,
  },
  {
    name: 'impersonation headers',
    seeds: ['Impersonate-User:alice\nImpersonate-Group:a|b\nImpersonate-Extra-a%2fb:c\nImpersonate-Uid:1'],
    pieces: ['Impersonate-', 'Extra-', '%', '%ff', '__proto__', ':', '|', '\n', '\u00ff'],
    run: (text) => readImpersonation(headersOf(text)),
  },
  {
    name: 'headers of an authenticating proxy',
    seeds: ['X-Remote-User:alice\nX-Remote-Group:a|b\nX-Remote-Extra-k:v'],
    pieces: ['X-Remote-', 'Extra-', '%', '%zz', '__proto__', ':', '|', '\n'],
    run: (text) =>
      readIdentity(headersOf(text), {
        username: ['x-remote-user'],
        group: ['x-remote-group'],
        extraPrefix: ['x-remote-extra-'],
      }),
  },
];

const certificates: readonly FuzzedParser[] = [
  {
    name: 'PEM',
    seeds: [authority.certificatePem, request],
    pieces: ['-----BEGIN ', '-----END ', '-----', '\n', '=', 'CERTIFICATE', ': '],
    run: parsePem,
  },
  {
    name: 'DER of certificates',
    seeds: [latin1(certificateBlock?.der ?? Buffer.alloc(0))],
    pieces: ['\x30\x80', '\x30\x84\xff\xff\xff\xff', '\x06', '\x00', '\xa0\x03', '\x05\x00'],
    run: (text) => readPathConstraints(bytesOf(text)),
  },
  {
    name: 'certificate requests',
    seeds: [latin1(requestBlock?.der ?? Buffer.alloc(0))],
    pieces: ['\x30\x80', '\x30\x84\xff\xff\xff\xff', '\x06\xff', '\x00', '\xa0\x80', '\x31\x00'],
    run(text) {
      const body = bytesOf(text).toString('base64');
      const read = parseCertificateRequest(
        `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`,
      );
      return read.verify();
    },
  },
  {
    name: 'distinguished names',
    seeds: [latin1(authority.subjectDer), '0\x0f1\x0d0\x0b\x06\x03U\x04\x03\x1e\x04\0a\0b'],
    pieces: [
      '\x30\x80',
      '\x31\x00',
      '\x06\x03U\x04\x0a',
      '\x1c\x04\0\0\0a',
      '\x1e\x02\xd8\0',
      '\x14\x01\xe9',
    ],
    run: (text) => readName(bytesOf(text)),
  },
];

const objects: readonly FuzzedParser[] = [
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

const patches: readonly FuzzedParser[] = [
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
    name: 'configurations to apply',
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
    name: 'sets of fields',
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
    name: 'steps of field paths',
    seeds: ['f:name', 'k:{"a":"b","c":1}', 'v:"x"', 'i:3'],
    pieces: [...jsonPieces, 'f:', 'k:', 'v:', 'i:', '9999999999999999999'],
    run: parseElement,
  },
];

const parameters: readonly FuzzedParser[] = [
  {
    name: 'paths and queries',
    seeds: [
      '/api/v1/namespaces/n/pods/p/status?fieldSelector=metadata.name%3Dp&watch=1',
      '/apis/apps/v1/deployments',
    ],
    pieces: [
      '/',
      '//',
      '%2f',
      '%',
      '%00',
      '..',
      '?',
      '&',
      'namespaces',
      'watch',
      'fieldSelector=metadata.name=',
    ],
    run(text) {
      try {
        return parseRequestInfo('GET', text);
      } catch (thrown) {
        if (thrown instanceof MalformedPath) return undefined;
        throw thrown;
      }
    },
  },
  {
    name: 'label selectors',
    seeds: ['a=b,c!=d,e in (f, g),!h,i notin (j),k>1', 'app.example/x==y'],
    pieces: ['(', ')', ',', '!', '=', '==', '!=', ' in ', ' notin ', '<', '>', ' '],
    run: (text) => parseLabelSelector(text).matches({ a: 'b' }),
  },
  {
    name: 'field selectors',
    seeds: ['metadata.name=a,spec.nodeName!=b\\,c', 'status.phase==Running'],
    pieces: ['\\', ',', '=', '==', '!=', '\\\\', '\\,'],
    run: (text) => parseFieldSelector(text).matches({ 'metadata.name': 'a' }),
  },
  {
    name: 'continue tokens',
    seeds: [encodeContinuation({ revision: 7, after: 'n/p' }, vocabulary)],
    pieces: [
      base64url({ v: 'meta.k8s.io/v1', rv: -1, start: '../x' }),
      base64url({ v: 1 }),
      '=',
      '.',
      '_-',
      'e30',
    ],
    run: (text) => decodeContinuation(text, vocabulary),
  },
  {
    name: 'Accept headers',
    seeds: ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', '*/*;q=0.5, application/yaml'],
    pieces: [',', ';', '=', 'q=', 'as=', '*/*', 'application/json', '"', ' '],
    run: (text) => negotiate({ accept: [text] }, true),
  },
];

const TIME_PIECES = ['-', ':', 'T', 'Z', '+', '.', '9', '99'];
const DURATIONS = ['1h30m', '1.5s', '-2m', '300ms'];
const DURATION_PIECES = ['h', 'm', 's', '.', '-', 'µs', '11s', '9'.repeat(30)];

const values: readonly FuzzedParser[] = [
  {
    name: 'quantities',
    seeds: ['100m', '1.5Gi', '12e6', '-3Ki', '+.5'],
    pieces: ['e', 'E', '-', '.', '9'.repeat(40), 'Ki', 'm', 'n', '0'],
    run: (text) => canonicalQuantity(parseQuantity(text)),
  },
  {
    name: 'cron schedules',
    seeds: ['*/5 * * * *', '0 0 1-7 JAN,FEB MON-FRI', '@every 1h30m', 'TZ=Europe/Berlin 0 3 * * *', '@daily'],
    pieces: ['*', '/', '-', ',', '?', ' ', 'L', 'TZ=', '@every ', '0', '99999999999'],
    run: (text) => parseCron(text, 'UTC'),
  },
  {
    name: 'durations in nanoseconds',
    seeds: DURATIONS,
    pieces: DURATION_PIECES,
    run: parseDuration,
  },
  {
    name: 'durations in milliseconds',
    seeds: DURATIONS,
    pieces: DURATION_PIECES,
    run: parseGoDuration,
  },
  {
    name: 'times',
    seeds: ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00+02:00'],
    pieces: TIME_PIECES,
    run: canonicalTime,
  },
  {
    name: 'times to the microsecond',
    seeds: ['2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123456+02:00'],
    pieces: TIME_PIECES,
    run: canonicalMicroTime,
  },
  {
    name: 'patterns of custom resources',
    seeds: ['^[a-z]([-a-z0-9]*[a-z0-9])?$', '(a|b)+c{2,3}\\d', '(a*)*b', '[[:alpha:]\\pL]+'],
    pieces: [
      '(',
      ')',
      '*',
      '+',
      '{1,1000}',
      '{',
      '}',
      '[',
      ']',
      '^',
      '$',
      '|',
      '\\',
      '\\p{L}',
      '(?i)',
      '(?:',
      '(?=',
      '.',
      '?',
    ],
    run: (text) => compilePattern(text).test('a'.repeat(50)),
  },
  {
    name: 'JSON paths of columns',
    seeds: [
      '.spec.replicas',
      "$.metadata.labels['a']",
      '.spec.containers[*].name',
      '.a[?(@.b=="c")].d',
      '..name',
      '..*'.repeat(100),
    ],
    pieces: ['.', '..', '[', ']', '*', '?(', '@', ')', "'", '"', ':', '$', '==', '-1', '99999999999'],
    run(text) {
      const path = parseJsonPath(text);
      return path && findAll(path, pod)?.length;
    },
  },
];

const policies: readonly FuzzedParser[] = [
  {
    name: 'ABAC policy lines',
    seeds: [
      '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"a","namespace":"*","resource":"pods","readonly":true}}',
      '{"user":"a","readonly":true}\n# comment\n',
    ],
    pieces: [...jsonPieces, '\n', '#', '"spec":', '"kind":'],
    run: (text) => parseAbacPolicies(text, 'file', vocabulary),
  },
  {
    name: 'audit policies',
    seeds: [
      'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- level: Metadata\n  resources:\n  - group: ""\n    resources: [secrets]\n- level: None\n  nonResourceURLs: ["/healthz*"]\n',
    ],
    pieces: [...yamlPieces, 'level:', 'rules:', 'users: [a]', 'verbs:'],
    run: (text) => parsePolicy(text, vocabulary),
  },
];

/** Every parser that reads what a client, a peer or a file of settings sends. */
export const fuzzedParsers: readonly FuzzedParser[] = [
  ...tokens,
  ...certificates,
  ...objects,
  ...patches,
  ...parameters,
  ...values,
  ...policies,
];
