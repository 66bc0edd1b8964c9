import { notAcceptable, unroutedAnswer } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type HttpHeaders, firstHeader } from '../../base/http/index.ts';

/** How an answer is written. */
export interface Negotiated {
  readonly format: 'json' | 'yaml' | 'protobuf';
  readonly mediaType: string;
  /** Asked for in the media type; the query and the user agent can ask too. */
  readonly pretty: boolean;
  /** Another form of the object; undefined: as it is. */
  readonly as: Transform | undefined;
}

export interface Transform {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  readonly version: 'v1' | 'v1beta1';
}

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
/** What bodies are read and answers written in, as error messages list them; `protobuf` where a kind has a binary form. */
export const mediaTypes = (protobuf?: string): readonly string[] =>
  protobuf === undefined ? [JSON_TYPE, YAML_TYPE] : [JSON_TYPE, YAML_TYPE, protobuf];

export const PLAIN_JSON: Negotiated = { format: 'json', mediaType: JSON_TYPE, pretty: false, as: undefined };

const TRANSFORMS = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);

interface Clause {
  readonly type: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** What there is in binary form: everything, nothing, or metadata alone, as of custom resources, which no router is before. */
export type Binary = boolean | 'metadata';

/**
 * Chooses the form of the answer by the `Accept` header (specification 1, section 4.4), the binary one only where `binary`
 * says that there is one, a Table only where `tables` does. Throws 406 when none of the forms asked for is served. Results are kept by header text: clients
 * send the same few.
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

export type Negotiate = (headers: HttpHeaders, binary?: Binary, tables?: boolean) => Negotiated;

interface Offer {
  readonly metaGroup: string;
  readonly protobufMediaType: string;
  readonly binary: Binary;
  readonly tables: boolean;
}

function negotiate(accept: string, { metaGroup, protobufMediaType, binary, tables }: Offer): Negotiated {
  const clauses = parseAccept(accept);
  const protobuf = binary === false ? undefined : protobufMediaType;
  const served = mediaTypes(protobuf);
  // The router of the real system looks first, at the bare types alone, and says less.
  const isRouted = binary !== 'metadata';
  if (isRouted && !clauses.some(({ type }) => type === '*/*' || served.includes(type)))
    throw unroutedAnswer();
  for (const clause of clauses.sort((a, b) => b.quality - a.quality)) {
    const mediaType = WILDCARDS.has(clause.type) ? JSON_TYPE : clause.type;
    if (!served.includes(mediaType)) continue;
    const as = transformOf(clause.parameters, metaGroup);
    const isProtobuf = mediaType === protobuf;
    // A Table has no protobuf numbers.
    if (as === null || (as?.kind === 'Table' && (isProtobuf || !tables))) continue;
    if (isProtobuf && binary === 'metadata' && as === undefined) continue;
    const format = isProtobuf ? 'protobuf' : mediaType === YAML_TYPE ? 'yaml' : 'json';
    return { format, mediaType, pretty: clause.parameters.get('pretty') === '1', as };
  }
  throw notAcceptable(`only the following media types are accepted: ${served.join(', ')}`);
}

const WILDCARDS = new Set(['*/*', 'application/*']);

/** Undefined: no other form is asked for; null: one that is not served. */
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

/** The clauses of an `Accept` header (RFC 9110, section 12.5.1); unreadable parameters are passed over. */
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

/** Whether to indent: by `?pretty`, else for the user agents of people (curl, Wget, browsers), as upstream does. */
export function isPretty(query: URLSearchParams, headers: HttpHeaders): boolean {
  const asked = query.get('pretty');
  if (asked !== null && asked !== '') return PARSED_TRUE.has(asked);
  const agent = firstHeader(headers, 'user-agent') ?? '';
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0');
}

const PARSED_TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
