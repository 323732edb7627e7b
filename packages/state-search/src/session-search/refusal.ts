/** A search that an agent asked for and cannot have; the text tells it what to do instead. */
export class Refusal extends Error {}
