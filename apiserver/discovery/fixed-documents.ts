import type { DescribedDocument } from '../../api/openapi/index.ts';
import type { HttpResponse } from '../../base/http/index.ts';

/** A JSON document with a dedicated path. */
export interface FixedDocument extends DescribedDocument {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: () => object;
}

/** Returns the response for a fixed document. */
export const fixedDocumentResponse = ({ mediaType, headers, content }: FixedDocument): HttpResponse => ({
  status: 200,
  headers: { ...headers, 'content-type': mediaType },
  body: Buffer.from(JSON.stringify(content())),
});
