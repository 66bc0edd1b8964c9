import { defineKind } from '../kinds/kind.ts';
import { CertificateSigningRequest } from '../types/certificates-v1.ts';
import {
  requestColumns,
  requestFields,
  requestStrategy,
  requestSubresources,
} from './certificates/request.ts';

/** Kind `CertificateSigningRequest` of `certificates/v1`. */
export const certificateSigningRequests = defineKind<CertificateSigningRequest>({
  group: 'certificates',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  shortNames: ['csr'],
  namespaced: false,
  schema: CertificateSigningRequest,
  nameRule: 'path-segment',
  strategy: requestStrategy,
  subresources: requestSubresources,
  columns: requestColumns,
  selectableFields: requestFields,
});
