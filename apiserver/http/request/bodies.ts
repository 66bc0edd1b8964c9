import {
  ApiError,
  badRequest,
  unexplained,
  unroutedAnswer,
  unroutedBody,
  unsupportedMediaType,
} from '../../../api/status/index.ts';
import type { AnyKind } from '../../../api/kinds/index.ts';
import {
  type Floats,
  JSON_WORDS,
  type StructSchema,
  chargeTree,
  overflowIn,
  parseJson,
  parseJsonLoose,
  valueKind,
  writeJson,
} from '../../../api/schema/index.ts';
import {
  ProtobufError,
  type TypeMeta,
  decodeEnveloped,
  hasProtobuf,
  openEnvelope,
} from '../../../api/protobuf/index.ts';
import { DeleteOptions } from '../../../api/types/meta-v1.ts';
import { type WorkBudget, charged } from '../../../base/budget/index.ts';
import { messageOf } from '../../../base/errors/index.ts';
import { type HttpRequest, firstHeader } from '../../../base/http/index.ts';
import { bodySummary } from '../../registry/confidential/body-summary.ts';
import { unknownPatch } from '../../registry/write/patch-document.ts';
import type { PatchMediaType } from '../../registry/registry.ts';
import { isFromBrowser } from './browser.ts';
import { mediaTypes } from '../response/negotiation.ts';
import { parseYamlStrictly, yamlTextOf } from '../../../api/yaml/index.ts';

/** Maximum size of a request body in bytes. */
export const BODY_LIMIT = 3 * 1024 * 1024;

const PATCH_TYPES: ReadonlySet<string> = new Set<PatchMediaType>([
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]);

/** Returns the media type of the body without parameters, or '' if there is none. */
function mediaTypeOf(request: HttpRequest): string {
  const header = firstHeader(request.headers, 'content-type') ?? '';
  const end = header.indexOf(';');
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
}

/** Parsed request body. */
export interface ParsedBody {
  readonly value: unknown;
  /** Paths of keys that occur more than once. */
  readonly duplicates: readonly string[];
  /** Numbers of a JSON body that were not written as integers, by path. */
  readonly floats?: Floats | undefined;
  /**
   * Errors of a strict YAML parser about repeated keys: `line 3: key "a" already set in map`. Used instead of
   * `duplicates`.
   */
  readonly repeatedKeys?: readonly string[];
}

/** Type that a body is expected to have. */
export interface BodyTarget extends TypeMeta {
  readonly schema: StructSchema;
  /** The protobuf media type. Undefined if the kind has no protobuf form. */
  readonly protobuf: string | undefined;
}

/** Version of a kind in which a body can be written. */
export interface BodyVersion {
  readonly schema: StructSchema;
  readonly typeMeta: TypeMeta;
}

/**
 * Returns the expected type of bodies in one API version. Protobuf is accepted if the schema has a protobuf
 * layout.
 */
export const bodyTarget = (
  { schema, typeMeta: { kind, apiVersion } }: BodyVersion,
  protobufMediaType: string,
): BodyTarget => ({
  kind,
  apiVersion,
  schema,
  protobuf: hasProtobuf(schema) ? protobufMediaType : undefined,
});

/**
 * Reads the body of a create or update, parsed by its `Content-Type` (JSON if there is none). `target` is the
 * expected type, `others` are accepted alternatives, and `budget` is charged for the parsing. Rejects with a
 * 400 if the body is not an object, a 415 for another media type, `BodyTooLarge` or `WorkBudgetError`.
 */
export async function readObject(
  request: HttpRequest,
  budget: WorkBudget,
  target: BodyTarget,
  ...others: readonly BodyTarget[]
): Promise<ParsedBody> {
  const { kind } = target;
  const schemaOf = (found: TypeMeta): StructSchema | undefined =>
    [target, ...others].find(
      (each) => isOrEmpty(found.kind, each.kind) && isOrEmpty(found.apiVersion, each.apiVersion),
    )?.schema;
  const parse = parserOf(request, target.protobuf, (bytes) => parseBinary(bytes, schemaOf));
  const bytes = await request.body(BODY_LIMIT);
  const rejectionFor = (reason: string): ApiError =>
    badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${reason} (${bodySummary(bytes)})`,
    );
  return charged(budget, () => parseObject(bytes, parse, rejectionFor));
}

/**
 * Reads the body of a delete; resolves with undefined if it is empty. `protobuf` is the protobuf media type.
 * Rejects with a 500 for an unreadable body, as upstream does.
 */
export async function readDeleteOptions(
  request: HttpRequest,
  budget: WorkBudget,
  protobuf: string,
): Promise<unknown> {
  const bytes = await request.body(BODY_LIMIT);
  if (bytes.length === 0) return undefined;
  const parser = parserOf(request, protobuf, (given) =>
    parseBinary(given, ({ kind }) => (isOrEmpty(kind, 'DeleteOptions') ? DeleteOptions : undefined)),
  );
  return charged(budget, () => parseObject(bytes, parser, unexplained)).value;
}

const isOrEmpty = (found: string, expected: string): boolean => found === '' || found === expected;

/**
 * Decodes a protobuf body. Of a body of an unexpected kind only the kind is decoded. The caller then rejects
 * that kind as in other formats.
 */
function parseBinary(bytes: Uint8Array, schemaOf: (found: TypeMeta) => StructSchema | undefined): ParsedBody {
  const envelope = openEnvelope(bytes);
  try {
    return { value: decodeEnveloped(envelope, schemaOf(envelope)), duplicates: [] };
  } catch (thrown) {
    if (!(thrown instanceof ProtobufError)) throw thrown;
    const version = JSON.stringify(envelope.apiVersion.split('/').at(-1));
    const { kind } = envelope;
    throw badRequest(`${kind} in version ${version} cannot be handled as a ${kind}: ${thrown.message}`);
  }
}

interface Parser {
  /** Prefix of error messages. */
  readonly complaint: string;
  parse(bytes: Uint8Array): ParsedBody;
}

const jsonParser: Parser = { complaint: "couldn't get version/kind; json parse error: ", parse: parseJson };
const yamlParser: Parser = {
  complaint: 'yaml: ',
  // Converted through JSON, as upstream does, so that a YAML body has the same limits as a JSON body.
  parse: (bytes) => {
    const { value, repeatedKeys } = parseYamlStrictly(yamlTextOf(bytes));
    chargeTree(value);
    return { value: parseJsonLoose(writeJson(value)), duplicates: [], repeatedKeys };
  },
};

function parserOf(request: HttpRequest, protobuf: string | undefined, parse: Parser['parse']): Parser {
  const type = mediaTypeOf(request);
  const isAbsent = (firstHeader(request.headers, 'content-type') ?? '') === '';
  // Browsers send bodies without a type for pages of other sites, without a CORS check. Programs may omit the
  // type, as upstream allows.
  if ((isAbsent && !isFromBrowser(request.headers)) || type === 'application/json') return jsonParser;
  if (type === 'application/yaml') return yamlParser;
  if (type === protobuf) return { complaint: '', parse };
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${mediaTypes(protobuf).join(', ')}`,
  );
}

function parseObject(
  bytes: Uint8Array,
  parser: Parser,
  rejectionFor: (reason: string) => ApiError,
): ParsedBody {
  const body = parseWith(parser, bytes, rejectionFor);
  const { value } = body;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return body;
  if (value === null) return { value: {}, duplicates: [] };
  const received = JSON_WORDS[valueKind(value)];
  throw rejectionFor(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${received} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  );
}

function parseWith(
  parser: Parser,
  bytes: Uint8Array,
  rejectionFor: (reason: string) => ApiError,
): ParsedBody {
  try {
    return parser.parse(bytes);
  } catch (thrown) {
    if (thrown instanceof ApiError) throw thrown;
    const isText = !(thrown instanceof ProtobufError);
    const reason = isText && bytes.length === 0 ? 'unexpected end of JSON input' : messageOf(thrown);
    throw rejectionFor(`${parser.complaint}${reason}`);
  }
}

/**
 * Returns the media type of a patch. Throws a 415 for another media type, or a 406 if the request has no
 * body. Upstream's router rejects such a request before any handler runs, except for custom resources, whose
 * handler lists the accepted types.
 */
export function patchTypeOf(request: HttpRequest, { schema }: Pick<AnyKind, 'schema'>): PatchMediaType {
  const type = mediaTypeOf(request);
  if (PATCH_TYPES.has(type)) return type as PatchMediaType;
  if (schema.root) throw unknownPatch(['application/strategic-merge-patch+json']);
  throw Number(firstHeader(request.headers, 'content-length') ?? 0) > 0 ? unroutedBody() : unroutedAnswer();
}

/**
 * Reads the body of a patch: YAML (which includes JSON) for apply, JSON otherwise. If the body is invalid,
 * `find` runs first and throws if there is no object to patch: that error takes precedence. Rejects with a
 * 400 or `BodyTooLarge`.
 */
export async function readPatch(
  request: HttpRequest,
  budget: WorkBudget,
  type: PatchMediaType,
  find: () => Promise<unknown>,
): Promise<ParsedBody> {
  const bytes = await request.body(BODY_LIMIT);
  try {
    return charged(budget, () =>
      type === 'application/apply-patch+yaml'
        ? parseWith(configurationParser, bytes, (why) => badRequest(`error decoding YAML: ${why}`))
        : parseWith({ ...jsonParser, complaint: '' }, bytes, badRequest),
    );
  } catch (thrown) {
    await find();
    throw thrown;
  }
}

/**
 * Parser of applied configurations. Most of them are JSON, whose parser is faster. The YAML parser reads the
 * others: YAML, invalid JSON, repeated keys, and numbers that YAML reads as strings.
 */
const configurationParser: Parser = {
  complaint: 'error converting YAML to JSON: yaml: ',
  parse: (bytes) => {
    if (bytes[0] !== OPENING_BRACE) return yamlParser.parse(bytes);
    try {
      const body = jsonParser.parse(bytes);
      if (body.duplicates.length === 0 && overflowIn(body.floats) === undefined) return body;
    } catch {
      // The YAML parser reports the error.
    }
    return yamlParser.parse(bytes);
  },
};

const OPENING_BRACE = 0x7b;
