import type { DescribedDocument } from '../../api/openapi/index.ts';
import type { HttpResponse } from '../../base/http/index.ts';

/** JSON document with its own path. */
export interface FixedDocument extends DescribedDocument {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: () => object;
}

/** Returns the response that contains a fixed document. */
export const fixedDocumentResponse = ({ mediaType, headers, content }: FixedDocument): HttpResponse => ({
  status: 200,
  headers: { ...headers, 'content-type': mediaType },
  body: Buffer.from(JSON.stringify(content())),
});
