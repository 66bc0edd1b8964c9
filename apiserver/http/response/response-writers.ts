import { notAcceptable } from '../../../api/status/index.ts';
import {
  type AnyKind,
  type ApiObject,
  type Column,
  type Scheme,
  isVirtualSubresource,
} from '../../../api/kinds/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import type { HttpResponse } from '../../../base/http/index.ts';
import type { Encoded, EncodedList, WatchParameters } from '../../registry/registry.ts';
import type { RequestContext } from '../../request.ts';
import { binaryFraming, binaryItem, binaryList, binaryObject } from './binary.ts';
import { type MadeList, eachInSlices, writeList } from './list-writer.ts';
import { metadataList } from './metadata-list.ts';
import { type Negotiated, isPretty } from './negotiation.ts';
import { bytesResponse, objectResponse } from './responses.ts';
import { type Transformer, createTransformer } from './table.ts';
import { type JsonObject, readJson } from '../../../api/schema/index.ts';
import type { Soon } from '../../../base/async/index.ts';
import { toYamlInSlices } from '../../../api/yaml/index.ts';

/**
 * Writers of registry results in the representation that the client requested. Stored bytes are sent
 * unchanged if they have that form.
 */
export interface ResponseWriters {
  one(
    context: RequestContext,
    kind: AnyKind,
    negotiated: Negotiated,
    status: number,
    encoded: Encoded,
  ): Soon<HttpResponse>;
  /**
   * Writes a list. Forms other than the stored bytes are created in slices, between which other requests run.
   */
  many(context: RequestContext, kind: AnyKind, negotiated: Negotiated, list: EncodedList): Soon<HttpResponse>;
  /**
   * Writes an object that is not stored. The object becomes a Table only if the subresource has columns; a
   * `Status` is never transformed.
   */
  virtual(
    context: RequestContext,
    kind: AnyKind,
    negotiated: Negotiated,
    status: number,
    object: ApiObject,
  ): HttpResponse;
  /** Returns how a watch writes its events. Throws a 406 for YAML, which cannot be streamed. */
  stream(context: RequestContext, kind: AnyKind, negotiated: Negotiated): StreamForm;
}

/** Encoding of the events of a watch. */
interface StreamForm extends Pick<WatchParameters, 'transform' | 'framing'> {
  readonly mediaType: string;
}

/** Creates the writers. `clock` provides the time for ages in Tables. */
export const createResponseWriters = (options: { scheme: Scheme; clock: Clock }): ResponseWriters =>
  new ResourceResponseWriters(options.scheme, options.clock);

class ResourceResponseWriters implements ResponseWriters {
  readonly #scheme: Scheme;
  readonly #clock: Clock;

  constructor(scheme: Scheme, clock: Clock) {
    this.#scheme = scheme;
    this.#clock = clock;
  }

  one(
    context: RequestContext,
    kind: AnyKind,
    negotiated: Negotiated,
    status: number,
    encoded: Encoded,
  ): Soon<HttpResponse> {
    const { as, mediaType } = negotiated;
    if (as !== undefined) {
      const transformed = this.#transformer(context, kind, as).one(encoded.object);
      return objectResponse(context, negotiated, status, transformed);
    }
    if (context.audit.level === 'RequestResponse') context.audit.response(encoded.object);
    if (isAsStored(context, negotiated)) return bytesResponse(status, mediaType, encoded.bytes);
    if (negotiated.format === 'yaml' && encoded.bytes.length > LARGE)
      return toYamlInSlices(encoded.object).then((text) =>
        bytesResponse(status, mediaType, Buffer.from(text)),
      );
    if (negotiated.format !== 'protobuf') return objectResponse(context, negotiated, status, encoded.object);
    return bytesResponse(
      status,
      mediaType,
      binaryObject(kind.schema, this.#scheme.typeMetaOf(kind), encoded),
    );
  }

  many(
    context: RequestContext,
    kind: AnyKind,
    negotiated: Negotiated,
    list: EncodedList,
  ): Soon<HttpResponse> {
    const { as, mediaType } = negotiated;
    const metadata = listMetadata(list);
    const isKept = context.audit.level === 'RequestResponse';
    if (as?.kind === 'PartialObjectMetadataList' && !isKept && isAsStored(context, negotiated)) {
      const apiVersion = `${this.#scheme.vocabulary.group('meta')}/${as.version}`;
      return bytesResponse(200, mediaType, metadataList(apiVersion, metadata, list.items));
    }
    if (as !== undefined) {
      const { order, ...form } = this.#transformer(context, kind, as).many(metadata);
      const items = order ? list.items.toSorted((one, other) => order(one.object, other.object)) : list.items;
      return madeList(context, negotiated, { ...form, items });
    }
    if (context.audit.level === 'RequestResponse') context.audit.response(documentOf(list));
    if (isAsStored(context, negotiated)) return bytesResponse(200, mediaType, list.chunks);
    if (negotiated.format === 'protobuf') {
      const { schema } = kind;
      return eachInSlices(list.items, context.http.signal, (item) => void binaryItem(schema, item)).then(() =>
        bytesResponse(
          200,
          mediaType,
          binaryList(schema, this.#scheme.typeMetaOf(kind), metadata, list.items),
        ),
      );
    }
    const form = kind.schema.root === undefined ? withoutType : whole;
    return madeList(context, negotiated, {
      frame: frameOf(list),
      member: 'items',
      items: list.items,
      form,
    });
  }

  virtual(
    context: RequestContext,
    kind: AnyKind,
    negotiated: Negotiated,
    status: number,
    object: ApiObject,
  ): HttpResponse {
    const { as } = negotiated;
    if (as === undefined || object.kind === 'Status')
      return objectResponse(context, { ...negotiated, as: undefined }, status, object);
    const columns = columnsOf(kind, context.info.subresource) ?? [];
    const shown = this.#transformer(context, { ...kind, columns }, as).one(object);
    return objectResponse(context, negotiated, status, shown);
  }

  stream(context: RequestContext, kind: AnyKind, { format, mediaType, as }: Negotiated): StreamForm {
    const { protobufMediaType } = this.#scheme.vocabulary;
    if (format === 'yaml')
      throw notAcceptable(
        `only the following media types are accepted: ${['application/json', protobufMediaType]
          .map((type) => `${type};stream=watch`)
          .join(', ')}`,
      );
    const transform = as === undefined ? undefined : this.#transformer(context, kind, as).stream();
    return format === 'json'
      ? { mediaType, transform, framing: undefined }
      : {
          mediaType: `${mediaType};stream=watch`,
          transform,
          framing: binaryFraming(kind, this.#scheme.typeMetaOf(kind)),
        };
  }

  #transformer({ info }: RequestContext, kind: AnyKind, as: NonNullable<Negotiated['as']>): Transformer {
    return createTransformer(as, kind, this.#scheme.vocabulary, info.query, () => this.#clock.now());
  }
}

/** Returns the Table columns of a virtual subresource, or undefined if it has no Table form. */
export function columnsOf(kind: AnyKind, subresource: string): readonly Column[] | undefined {
  const found = kind.subresources[subresource];
  return found !== undefined && isVirtualSubresource(found) ? found.columns : undefined;
}

const isAsStored = ({ info, http }: RequestContext, { format, pretty }: Negotiated): boolean =>
  format === 'json' && !pretty && !isPretty(info.query, http.headers);

const documentOf = ({ chunks }: EncodedList): ListDocument =>
  readJson(Buffer.concat(chunks).toString('utf8')) as ListDocument;

interface ListDocument {
  items: Readonly<Record<string, unknown>>[];
}

/** Returns a list without its items, which are its last member. */
const frameOf = ({ chunks: [head] }: EncodedList): JsonObject => {
  const { items: _items, ...frame } = readJson(`${String(head)}]}`) as ListDocument;
  return frame;
};

/** Returns an item without kind and apiVersion: in lists of built-in kinds, only the list states them. */
function withoutType(object: Encoded['object']): unknown {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object as ListDocument['items'][number];
  return rest;
}

const whole = (object: Encoded['object']): unknown => object;

/** Size, in bytes, above which an object's YAML is written in slices. */
const LARGE = 64 * 1024;

/**
 * Writes a transformed list item by item. If the audit event contains the response, the whole list is built
 * first.
 */
async function madeList(
  context: RequestContext,
  negotiated: Negotiated,
  list: MadeList,
): Promise<HttpResponse> {
  const { format, mediaType } = negotiated;
  if (format === 'protobuf' || context.audit.level === 'RequestResponse') {
    const items: unknown[] = [];
    await eachInSlices(list.items, context.http.signal, ({ object }) => void items.push(list.form(object)));
    return objectResponse(context, negotiated, 200, { ...list.frame, [list.member]: items });
  }
  const isIndented = negotiated.pretty || isPretty(context.info.query, context.http.headers);
  const written = format === 'json' && isIndented ? 'pretty' : format;
  return bytesResponse(200, mediaType, await writeList(list, written, context.http.signal));
}

const listMetadata = (list: EncodedList): object => ({
  resourceVersion: list.resourceVersion,
  ...(list.continueToken === '' ? {} : { continue: list.continueToken }),
  ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
});
