import { notAcceptable, unroutedAnswer } from '../../../api/status/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { type HttpHeaders, firstHeader } from '../../../base/http/index.ts';
import { parseGoBoolean } from '../../go-boolean.ts';

/** Negotiated representation of a response. */
export interface Negotiated {
  readonly format: 'json' | 'yaml' | 'protobuf';
  readonly mediaType: string;
  /**
   * True if the media type requests indented output. The query and the user agent can request it
   * independently.
   */
  readonly pretty: boolean;
  /** Requested transformation of the object. Undefined for the object itself. */
  readonly as: Transform | undefined;
}

/** Representation other than the object itself. */
export interface Transform {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  readonly version: 'v1' | 'v1beta1';
}

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
/**
 * Returns the supported media types in the order of upstream's error messages. `protobuf` is passed if the
 * kind has a protobuf form.
 */
export const mediaTypes = (protobuf?: string): readonly string[] =>
  protobuf === undefined ? [JSON_TYPE, YAML_TYPE] : [JSON_TYPE, YAML_TYPE, protobuf];

/** The object itself in compact JSON. */
export const PLAIN_JSON: Negotiated = { format: 'json', mediaType: JSON_TYPE, pretty: false, as: undefined };

const TRANSFORMS = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);

/** One element of an `Accept` header. */
interface Clause {
  readonly type: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Available protobuf forms: all, none, or metadata alone. Custom resources have metadata alone; upstream
 * serves them without a router.
 */
export type Binary = boolean | 'metadata';

/**
 * Creates the function that chooses a representation by the `Accept` header
 * (https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources). The
 * function chooses protobuf only as far as `binary` allows, and a Table only if `tables` is true. It throws a
 * 406 if no requested form is available. Results are cached by header, as clients send only a few different
 * headers.
 */
export function createNegotiator(vocabulary: Vocabulary): Negotiate {
  const byBinary = new Map<Binary, Map<string, Negotiated>>(
    [true, false, 'metadata' as const].map((each) => [each, new Map()]),
  );
  const metaGroup = vocabulary.group('meta');
  const { protobufMediaType } = vocabulary;
  return (headers, binary = false, tables = true) => {
    const accept = headers['accept'];
    if (accept === undefined) return PLAIN_JSON;
    const text = accept.length === 1 ? (accept[0] ?? '') : accept.join(',');
    if (text === '' || text === '*/*' || text === JSON_TYPE) return PLAIN_JSON;
    const make = (): Negotiated => negotiate(text, { metaGroup, protobufMediaType, binary, tables });
    const known = byBinary.get(binary);
    if (!tables || known === undefined) return make();
    const found = known.get(text);
    if (found !== undefined) return found;
    const negotiated = make();
    if (known.size >= 256) known.clear();
    known.set(text, negotiated);
    return negotiated;
  };
}

/** Function that chooses the representation of a response; see `createNegotiator`. */
export type Negotiate = (headers: HttpHeaders, binary?: Binary, tables?: boolean) => Negotiated;

interface Available {
  readonly metaGroup: string;
  readonly protobufMediaType: string;
  readonly binary: Binary;
  readonly tables: boolean;
}

function negotiate(accept: string, { metaGroup, protobufMediaType, binary, tables }: Available): Negotiated {
  const clauses = parseAccept(accept);
  const protobuf = binary === false ? undefined : protobufMediaType;
  const served = mediaTypes(protobuf);
  // Upstream's router compares the bare types first, and rejects with a shorter message.
  const isRouted = binary !== 'metadata';
  if (isRouted && !clauses.some(({ type }) => type === '*/*' || served.includes(type)))
    throw unroutedAnswer();
  for (const clause of clauses.sort((a, b) => b.quality - a.quality)) {
    const mediaType = WILDCARDS.has(clause.type) ? JSON_TYPE : clause.type;
    if (!served.includes(mediaType)) continue;
    const as = transformOf(clause.parameters, metaGroup);
    const isProtobuf = mediaType === protobuf;
    // A Table has no protobuf form.
    if (as === null || (as?.kind === 'Table' && (isProtobuf || !tables))) continue;
    if (isProtobuf && binary === 'metadata' && as === undefined) continue;
    const format = isProtobuf ? 'protobuf' : mediaType === YAML_TYPE ? 'yaml' : 'json';
    return { format, mediaType, pretty: clause.parameters.get('pretty') === '1', as };
  }
  throw notAcceptable(`only the following media types are accepted: ${served.join(', ')}`);
}

const WILDCARDS = new Set(['*/*', 'application/*']);

/**
 * Returns the requested transformation, undefined if the client requests none, or null if it is not
 * supported.
 */
function transformOf(
  parameters: ReadonlyMap<string, string>,
  metaGroup: string,
): Transform | undefined | null {
  const kind = parameters.get('as') ?? '';
  const group = parameters.get('g') ?? '';
  const version = parameters.get('v') ?? '';
  if (kind === '') return group === '' && version === '' ? undefined : null;
  if (!TRANSFORMS.has(kind) || group !== metaGroup) return null;
  if (version !== 'v1' && version !== 'v1beta1') return null;
  return { kind: kind as Transform['kind'], version };
}

/**
 * Parses an `Accept` header (https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1). Malformed parameters are
 * ignored.
 */
export function parseAccept(accept: string): Clause[] {
  return accept.split(',').map((clause) => {
    const [type = '', ...rest] = clause.split(';');
    const parameters = new Map<string, string>();
    for (const parameter of rest) {
      const equals = parameter.indexOf('=');
      if (equals < 0) continue;
      parameters.set(parameter.slice(0, equals).trim().toLowerCase(), parameter.slice(equals + 1).trim());
    }
    const quality = Number(parameters.get('q') ?? '1');
    return { type: type.trim().toLowerCase(), quality: Number.isNaN(quality) ? 1 : quality, parameters };
  });
}

/**
 * True if the response should be indented: because of `?pretty`, or without this parameter because the user
 * agent is one that people use (curl, Wget, browsers). Upstream does the same.
 */
export function isPretty(query: URLSearchParams, headers: HttpHeaders): boolean {
  const asked = query.get('pretty');
  if (asked !== null && asked !== '') return parseGoBoolean(asked) === true;
  const agent = firstHeader(headers, 'user-agent') ?? '';
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0');
}
