"""The story grammar: all the text that the course's small models learn from.

A story is made in two steps. First `cast` rolls the dice for who and where: a hero, a friend,
a place and an object. Then the sentences of one of ten plots are filled in. Sentences are templates:

    [morning|evening]     one of the choices, with equal chances; choices may nest and may be empty
    {hero} {obj} {place}  a slot, taken from the cast

Because the same slots return in the last sentences, a model has to remember the first ones.
Run this file to read a few stories:  python story_grammar.py --seed 7 --count 5
"""
import argparse
import random
import re

from story_parts import ASKS, DETAILS, LESSONS, CAKES, COLORS, FRIEND_NAMES, HERO_NAMES
from story_parts import OBJECTS, OPENINGS, PLACES
from story_parts import PRONOUNS, QUESTIONS, RIDDLES, SMALL_TALK, SPECIES, SYSTEM, TRAITS
from story_plots import PLOTS


def choose(rng, template):
    """Replaces every [a|b|c] in a template, inner ones first, by one of its choices."""
    while True:
        chosen = re.sub(r"\[([^\[\]]*)\]", lambda match: rng.choice(match[1].split("|")), template)
        if chosen == template:
            return chosen
        template = chosen


def with_article(words):
    """Puts "a" or "an" before some words: an owl, a brave owl."""
    return ("an " if words[0] in "aeiou" else "a ") + words


def tidy(sentence):
    """Corrects "a owl" to "an owl" and begins each sentence with a capital letter."""
    sentence = re.sub(r"\b(a|A) (?=[aeiou])", r"\1n ", sentence)
    return re.sub(r"(^|[.!?] )([a-z])", lambda match: match[1] + match[2].upper(), sentence)


def is_held_out(hero, kind):
    """True for one in ten pairs of name and species: they are kept for tests, never trained on."""
    return (list(HERO_NAMES).index(hero) + list(SPECIES).index(kind)) % 10 == 0


def cast(rng, held_out=False):
    """Draws the hero, the friend, the place and the things of one story: the values of all slots."""
    while True:
        hero, pal = rng.choice(list(HERO_NAMES)), rng.choice(list(FRIEND_NAMES))
        kind, pal_kind = rng.sample(list(SPECIES), 2)
        if is_held_out(hero, kind) == held_out:
            break
    slots = {"hero": hero, "kind": kind, "pal": pal, "pal_kind": pal_kind}
    slots["he"], slots["him"], slots["his"] = PRONOUNS[HERO_NAMES[hero]]
    slots["pal_he"], slots["pal_him"], slots["pal_his"] = PRONOUNS[FRIEND_NAMES[pal]]
    slots["trait"], pal_trait = rng.sample(TRAITS, 2)
    slots["a_hero"] = with_article(f"{slots['trait']} {kind}")
    slots["a_pal"] = with_article(f"{pal_trait} {pal_kind}")
    slots["look"], slots["food"] = (text.format_map(slots) for text in SPECIES[kind])
    slots["pal_look"], slots["pal_food"] = (text.format(his=slots["pal_his"]) for text in SPECIES[pal_kind])
    slots["place"] = rng.choice(list(PLACES))
    slots["intro"], spots, slots["machine"] = PLACES[slots["place"]]
    slots["spot1"], slots["spot2"] = rng.sample(spots, 2)
    slots["obj"], slots["color"] = rng.choice(list(OBJECTS)), rng.choice(COLORS)
    slots["a_obj"] = with_article(f"{slots['color']} {slots['obj']}")
    slots["magic"], slots["use"] = (text.format_map(slots) for text in OBJECTS[slots["obj"]])
    riddle = rng.choice(RIDDLES)
    slots["riddle"], slots["wrong"], slots["answer"], slots["hint"] = (text.format_map(slots) for text in riddle)
    slots["cake"], slots["elder"] = rng.choice(CAKES), rng.choice(["grandmother", "grandfather", "aunt", "uncle"])
    return slots


def story(rng, held_out=False):
    """One story: its text, its slots (with the plot's "topic" and "theme" added) and its first sentence."""
    slots = cast(rng, held_out)
    topic, theme, parts = PLOTS[rng.choice(list(PLOTS))]
    slots["topic"], slots["theme"] = topic.format_map(slots), theme.format_map(slots)
    lines = [tidy(choose(rng, rng.choice(part)).format_map(slots))
             for part in [OPENINGS, DETAILS, *parts, LESSONS]]
    return " ".join(line for line in lines if line), slots, lines[0]


def sketch(rng):
    """A story cut down to its opening and two later sentences: names return soon, so copying is learnt soon."""
    slots = cast(rng)
    _, _, parts = PLOTS[rng.choice(list(PLOTS))]
    first, second = sorted(rng.sample(range(len(parts)), 2))
    lines = [tidy(choose(rng, rng.choice(part)).format_map(slots))
             for part in (OPENINGS, parts[first], parts[second], LESSONS)]
    return " ".join(line for line in lines if line)


def fits(template, slots, text):
    """False if a request or question would name something that the story does not have."""
    named = {"{a_obj}": slots["obj"], "{food}": slots["food"]}
    return all(word in text for slot, word in named.items() if slot in template)


def conversation(rng, held_out=False):
    """A chat as a list of messages: a request and its story, at times with one more question."""
    if rng.random() < 0.03:
        question, answer = rng.choice(SMALL_TALK)
        messages = [("user", question), ("assistant", answer)]
    else:
        text, slots, _ = story(rng, held_out)
        asks = [ask for ask in (choose(rng, rng.choice(ASKS)) for _ in range(20)) if fits(ask, slots, text)]
        messages = [("user", tidy(asks[0].format_map(slots))), ("assistant", text)]
        questions = [pair for pair in QUESTIONS if fits(pair[1], slots, text)]
        if rng.random() < 0.3:
            question, answer = rng.choice(questions)
            messages += [("user", question.format_map(slots)), ("assistant", tidy(answer.format_map(slots)))]
    if rng.random() < 0.15:
        messages.insert(0, ("system", choose(rng, SYSTEM)))
    return [{"role": role, "content": content} for role, content in messages]


def main():
    """Prints some stories and chats, so that one can read what the models are trained on."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=5)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    for _ in range(args.count):
        print(story(rng)[0], end="\n\n")
        for message in conversation(rng):
            print(f"{message['role']}: {message['content']}")
        print()


if __name__ == "__main__":
    main()
