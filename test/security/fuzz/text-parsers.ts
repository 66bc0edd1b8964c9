import { parseJsonPath } from '../../../api/json-path/index.ts';
import { findAll } from '../../../api/json-path/index.ts';
import { canonicalQuantity, parseQuantity } from '../../../api/quantity/quantity.ts';
import { canonicalMicroTime, canonicalTime, parseDuration } from '../../../api/schema/times.ts';
import { parseFieldSelector } from '../../../api/selectors/fields.ts';
import { parseLabelSelector } from '../../../api/selectors/labels.ts';
import { compilePattern } from '../../../api/structural/pattern.ts';
import { parsePolicy } from '../../../apiserver/audit/policy.ts';
import { parseAbacPolicies } from '../../../apiserver/authorization/abac-policy.ts';
import { createNegotiator } from '../../../apiserver/http/response/negotiation.ts';
import { MalformedPath } from '../../../base/http/request-target.ts';
import { parseRequestInfo } from '../../../apiserver/http/request/request-info.ts';
import { decodeContinuation, encodeContinuation } from '../../../apiserver/registry/read/continue-token.ts';
import { parseCron } from '../../../base/cron/cron.ts';
import { parseGoDuration } from '../../../base/cron/duration.ts';
import { base64url, type FuzzedParser, jsonPieces, pod, vocabulary, yamlPieces } from './fuzzed-parser.ts';

const negotiate = createNegotiator(vocabulary);

/** Parsers of paths, queries and headers. */
export const parameters: readonly FuzzedParser[] = [
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

/** Parsers of field values. */
export const values: readonly FuzzedParser[] = [
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
    name: 'MicroTime values',
    seeds: ['2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123456+02:00'],
    pieces: TIME_PIECES,
    run: canonicalMicroTime,
  },
  {
    name: 'custom resource patterns',
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
    name: 'column JSON paths',
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

/** Parsers of policy files. */
export const policies: readonly FuzzedParser[] = [
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
