import {
  ApiError,
  badRequest,
  unexplained,
  unroutedAnswer,
  unroutedBody,
  unsupportedMediaType,
} from '../../api/status/index.ts';
import type { AnyKind } from '../../api/kinds/index.ts';
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
} from '../../api/schema/index.ts';
import { ProtobufError, type TypeMeta, decodeEnveloped, openEnvelope } from '../../api/protobuf/index.ts';
import { DeleteOptions } from '../../api/types/meta-v1.ts';
import { type WorkBudget, charged } from '../../base/budget/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { type HttpRequest, firstHeader } from '../../base/http/index.ts';
import { bodySummary } from '../registry/confidential/body-summary.ts';
import { unknownPatch } from '../registry/write/patch-document.ts';
import type { PatchMediaType } from '../registry/registry.ts';
import { isFromBrowser } from './browser.ts';
import { mediaTypes } from './negotiation.ts';
import { yamlTextOf } from './yaml-text.ts';
import { parseYamlStrictly } from './yaml.ts';

/** Bytes a request body may have. */
export const BODY_LIMIT = 3 * 1024 * 1024;

const PATCH_TYPES: ReadonlySet<string> = new Set<PatchMediaType>([
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]);

/** The media type of the body without parameters; '' when there is none. */
function mediaTypeOf(request: HttpRequest): string {
  const header = firstHeader(request.headers, 'content-type') ?? '';
  const end = header.indexOf(';');
  return (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
}

/** A body as it was read. */
export interface ParsedBody {
  readonly value: unknown;
  /** Paths of keys given more than once. */
  readonly duplicates: readonly string[];
  /** Numbers of a JSON text that were not written as integers, by their paths. */
  readonly floats?: Floats | undefined;
  /** What a strict reader says of a YAML text instead: `line 3: key "a" already set in map`. */
  readonly repeatedKeys?: readonly string[];
}

/** What a body is to hold. */
export interface BodyTarget extends TypeMeta {
  readonly schema: StructSchema;
  /** The binary media type; undefined where the kind has no binary form. */
  readonly protobuf: string | undefined;
}

/**
 * The body of a create or update, parsed by its `Content-Type` (JSON when there is none). `target` is what is expected,
 * `others` what may come in its place; `budget` pays for the parsing. Throws 400 for bytes that are no object, 415 for another media type,
 * `BodyTooLarge`, `WorkBudgetError`.
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
  const refuse = (reason: string): ApiError =>
    badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${reason} (${bodySummary(bytes)})`,
    );
  return charged(budget, () => parseObject(bytes, parse, refuse));
}

/** The body of a delete, undefined when it is empty; `protobuf` is the binary media type. Throws 500, as upstream. */
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

/** What is not of the kind expected is read no further than its kind, which is then refused like any other. */
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
  /** What stands before the reason in a message. */
  readonly complaint: string;
  parse(bytes: Uint8Array): ParsedBody;
}

const jsonParser: Parser = { complaint: "couldn't get version/kind; json parse error: ", parse: parseJson };
const yamlParser: Parser = {
  complaint: 'yaml: ',
  // By way of JSON, as upstream: what a JSON body cannot hold, a YAML body cannot either.
  parse: (bytes) => {
    const { value, repeatedKeys } = parseYamlStrictly(yamlTextOf(bytes));
    chargeTree(value);
    return { value: parseJsonLoose(writeJson(value)), duplicates: [], repeatedKeys };
  },
};

function parserOf(request: HttpRequest, protobuf: string | undefined, parse: Parser['parse']): Parser {
  const type = mediaTypeOf(request);
  const isAbsent = (firstHeader(request.headers, 'content-type') ?? '') === '';
  // Browsers send such bodies for pages of other sites without asking; programs leave the type out, as upstream allows.
  if ((isAbsent && !isFromBrowser(request.headers)) || type === 'application/json') return jsonParser;
  if (type === 'application/yaml') return yamlParser;
  if (type === protobuf) return { complaint: '', parse };
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${mediaTypes(protobuf).join(', ')}`,
  );
}

function parseObject(bytes: Uint8Array, parser: Parser, refuse: (reason: string) => ApiError): ParsedBody {
  const body = parseWith(parser, bytes, refuse);
  const { value } = body;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return body;
  if (value === null) return { value: {}, duplicates: [] };
  const received = JSON_WORDS[valueKind(value)];
  throw refuse(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${received} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  );
}

function parseWith(parser: Parser, bytes: Uint8Array, refuse: (reason: string) => ApiError): ParsedBody {
  try {
    return parser.parse(bytes);
  } catch (thrown) {
    if (thrown instanceof ApiError) throw thrown;
    const isText = !(thrown instanceof ProtobufError);
    const reason = isText && bytes.length === 0 ? 'unexpected end of JSON input' : messageOf(thrown);
    throw refuse(`${parser.complaint}${reason}`);
  }
}

/**
 * The media type of a patch. Throws 415, or 406 for a wrong one of no body. Upstream's router refuses it before any handler
 * sees the request, except for custom resources, whose own handler says what is accepted.
 */
export function patchTypeOf(request: HttpRequest, { schema }: Pick<AnyKind, 'schema'>): PatchMediaType {
  const type = mediaTypeOf(request);
  if (PATCH_TYPES.has(type)) return type as PatchMediaType;
  if (schema.root) throw unknownPatch(['application/strategic-merge-patch+json']);
  throw Number(firstHeader(request.headers, 'content-length') ?? 0) > 0 ? unroutedBody() : unroutedAnswer();
}

/**
 * The body of a patch: YAML (and so JSON) for apply, JSON otherwise. `find` throws where there is nothing to patch, which
 * comes before what is wrong with the body. Throws 400, `BodyTooLarge`.
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

/** Most configurations are JSON: only what is none, repeats itself or has a number that is a text to YAML is read as what all are. */
const configurationParser: Parser = {
  complaint: 'error converting YAML to JSON: yaml: ',
  parse: (bytes) => {
    if (bytes[0] !== OPENING_BRACE) return yamlParser.parse(bytes);
    try {
      const body = jsonParser.parse(bytes);
      if (body.duplicates.length === 0 && overflowIn(body.floats) === undefined) return body;
    } catch {
      // YAML says what is wrong with it.
    }
    return yamlParser.parse(bytes);
  },
};

const OPENING_BRACE = 0x7b;
