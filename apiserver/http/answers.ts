import { notAcceptable } from '../../api/status/api-error.ts';
import type { AnyKind, Scheme } from '../../api/kinds/scheme.ts';
import type { Clock } from '../../base/clock/clock.ts';
import type { HttpResponse } from '../../base/http/message.ts';
import type { Encoded, EncodedList, WatchParameters } from '../registry/registry.ts';
import type { RequestContext } from '../request.ts';
import { binaryFraming, binaryList, binaryObject, isBinary } from './binary.ts';
import { type Negotiated, isPretty } from './negotiation.ts';
import { bytesResponse, objectResponse } from './responses.ts';
import { type Transformer, createTransformer } from './table.ts';

/** Writes what the registry gives in the form a client asked for; the stored bytes themselves wherever they are that form. */
export interface Answers {
  one(
    context: RequestContext,
    kind: AnyKind,
    negotiated: Negotiated,
    status: number,
    encoded: Encoded,
  ): HttpResponse;
  many(context: RequestContext, kind: AnyKind, negotiated: Negotiated, list: EncodedList): HttpResponse;
  /** How a watch is to write its events. Throws 406 for a format that has no streams. */
  stream(context: RequestContext, kind: AnyKind, negotiated: Negotiated): StreamForm;
}

interface StreamForm extends Pick<WatchParameters, 'transform' | 'framing'> {
  readonly mediaType: string;
}

export function createAnswers({ scheme, clock }: { scheme: Scheme; clock: Clock }): Answers {
  const transformer = (
    { info }: RequestContext,
    kind: AnyKind,
    as: NonNullable<Negotiated['as']>,
  ): Transformer => createTransformer(as, kind, scheme.vocabulary, info.query, () => clock.now());

  return {
    one(context, kind, negotiated, status, encoded) {
      const { as, mediaType } = negotiated;
      if (as !== undefined) {
        const transformed = transformer(context, kind, as).one(encoded.object);
        return objectResponse(context, negotiated, status, transformed);
      }
      if (isAsStored(context, negotiated)) return bytesResponse(status, mediaType, encoded.bytes);
      if (negotiated.format !== 'protobuf')
        return objectResponse(context, negotiated, status, encoded.object);
      return bytesResponse(status, mediaType, binaryObject(kind.schema, scheme.typeMetaOf(kind), encoded));
    },

    many(context, kind, negotiated, list) {
      const { as, mediaType } = negotiated;
      const metadata = listMetadata(list);
      if (as !== undefined) {
        const objects = list.items.map(({ object }) => object);
        const transformed = transformer(context, kind, as).many({ metadata, objects });
        return objectResponse(context, negotiated, 200, transformed);
      }
      if (isAsStored(context, negotiated)) return bytesResponse(200, mediaType, list.chunks);
      if (negotiated.format === 'protobuf') {
        const bytes = binaryList(kind.schema, scheme.typeMetaOf(kind), metadata, list.items);
        return bytesResponse(200, mediaType, bytes);
      }
      const document: unknown = JSON.parse(Buffer.concat(list.chunks).toString('utf8'));
      return objectResponse(context, negotiated, 200, document);
    },

    stream(context, kind, { format, mediaType, as }) {
      const { protobufMediaType } = scheme.vocabulary;
      if (format === 'yaml')
        throw notAcceptable(
          `only the following media types are accepted: ${[
            'application/json',
            ...(isBinary(context) ? [protobufMediaType] : []),
          ]
            .map((type) => `${type};stream=watch`)
            .join(', ')}`,
        );
      const transform = as === undefined ? undefined : transformer(context, kind, as).stream();
      return {
        ...(transform === undefined ? {} : { transform }),
        ...(format === 'json'
          ? { mediaType }
          : {
              mediaType: `${mediaType};stream=watch`,
              framing: binaryFraming(kind, scheme.typeMetaOf(kind)),
            }),
      };
    },
  };
}

const isAsStored = ({ info, http }: RequestContext, { format, pretty }: Negotiated): boolean =>
  format === 'json' && !pretty && !isPretty(info.query, http.headers);

const listMetadata = (list: EncodedList): object => ({
  resourceVersion: list.resourceVersion,
  ...(list.continueToken === '' ? {} : { continue: list.continueToken }),
  ...(list.remainingItemCount === undefined ? {} : { remainingItemCount: list.remainingItemCount }),
});
