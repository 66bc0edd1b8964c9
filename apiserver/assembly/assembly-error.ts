import { CodedError } from '../../base/errors/index.ts';

/** Parts were chosen that need a part which was not handed in. */
export class AssemblyError extends CodedError<'ERR_NO_OUTBOUND'> {}
