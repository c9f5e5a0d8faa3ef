"""Who, where and what: the words of the story grammar, and the sentences that all plots share."""

PRONOUNS = {"she": ("she", "her", "her"), "he": ("he", "him", "his")}
HERO_NAMES = {"Mia": "she", "Ada": "she", "Nora": "she", "Lily": "she", "Ruby": "she",
              "Tom": "he", "Leo": "he", "Max": "he", "Finn": "he", "Hugo": "he"}
FRIEND_NAMES = {"Luna": "she", "Ivy": "she", "Rosa": "she", "Oscar": "he", "Sam": "he", "Milo": "he"}
TRAITS = "brave shy clever cheerful curious gentle small young kind stubborn patient sleepy".split()

# species: (something you notice at once, a favourite food)
SPECIES = {
    "fox": ("a bushy tail", "blueberry pie"), "rabbit": ("long ears", "carrot soup"),
    "bear": ("big warm paws", "honey"), "mouse": ("round ears", "yellow cheese"),
    "owl": ("wide bright eyes", "warm tea"), "hedgehog": ("soft brown spikes", "apple pie"),
    "otter": ("quick paws", "fish soup"), "badger": ("a striped nose", "mushroom soup"),
    "duck": ("orange feet", "fresh bread"), "cat": ("long white whiskers", "warm milk"),
    "squirrel": ("a fluffy tail", "acorn bread"), "frog": ("long green legs", "cold lemonade"),
    "goat": ("curly horns", "apple pie"), "dragon": ("small green wings", "hot pepper soup"),
    "robot": ("squeaky wheels", "cold lemonade"), "gardener": ("muddy boots", "carrot soup"),
    "baker": ("flour on {his} nose", "fresh bread"), "sailor": ("a striped shirt", "fish soup"),
}
# place: (how a story first speaks of it, two hiding places, the machine that stands there)
PLACES = {
    "in the valley": ("in a quiet valley", ("under a fern", "behind a mossy stone"), "mill"),
    "by the lake": ("by a wide lake", ("under the pier", "among the reeds"), "ferry"),
    "in the forest": ("in an old forest", ("in a hollow tree", "under a pile of leaves"), "mill"),
    "on the hill": ("on a windy hill", ("behind a stone wall", "in the tall grass"), "windmill"),
    "in the village": ("in a small village", ("behind the bakery", "under a market table"), "clock"),
    "at the harbor": ("at a busy harbor", ("in an empty barrel", "under a fishing net"), "crane"),
    "by the river": ("by a slow river", ("under the bridge", "among the reeds"), "mill"),
    "in the meadow": ("in a sunny meadow", ("in the tall grass", "under a mushroom"), "windmill"),
    "on the island": ("on a little island", ("in a cave", "under a palm leaf"), "pump"),
    "in the mountains": ("in the high mountains", ("behind a big rock", "in a cave"), "clock"),
}
COLORS = "red blue green golden silver little old yellow".split()
# object: (what was special about it, what it does in the end)
OBJECTS = {
    "lantern": ("It lit the path at night", "shone in the window every night"),
    "kite": ("It danced in the wind", "danced above the roofs again"),
    "drum": ("It sounded like happy thunder", "sounded louder than ever"),
    "bell": ("It rang as clear as water", "rang in the door every morning"),
    "scarf": ("It kept {him} warm in winter", "kept {him} warm all winter"),
    "key": ("It opened the garden gate", "hung safely on a string"),
    "book": ("It was full of old songs", "lay next to {his} bed"),
    "whistle": ("It sounded like a bird", "hung safely on a string"),
    "umbrella": ("It kept the rain away", "stood ready for every rain"),
    "hat": ("It kept the sun away", "never left {his} head"),
    "boat": ("It could sail in any puddle", "sailed in every puddle"),
    "map": ("It showed every secret path", "hung on the wall"),
}
RIDDLES = [  # question, wrong answer, right answer, what gives it away
    ("What has hands but cannot clap", "a statue", "a clock", "heard something tick"),
    ("What runs all day but has no legs", "the wind", "a river", "listened to the water"),
    ("What has teeth but cannot bite", "an old shark", "a comb", "looked at {his} messy hair"),
    ("What gets wetter the more it dries", "a sponge", "a towel", "remembered bath day"),
    ("What can fill a room but weighs nothing", "a big cloud", "light", "saw the sun come up"),
    ("What follows you all day but leaves at night", "a dog", "a shadow", "looked at the ground"),
    ("What has a neck but no head", "a worm", "a bottle", "poured some lemonade"),
    ("What has many leaves but is not a tree", "a bush", "a book", "turned a page"),
]
CAKES = "chocolate cherry honey lemon carrot apple".split()

OPENINGS = [
    "Once upon a time, there was {a_hero} named {hero} who lived {intro}.",
    "Once upon a time, {a_hero} named {hero} lived {intro}.",
    "Once upon a time, {intro}, there lived {a_hero} named {hero}.",
    "Once there was {a_hero} called {hero}. {he} lived {intro}.",
    "Long ago, {intro}, there lived {a_hero} named {hero}.",
    "{hero} was {a_hero} who lived {intro}.",
    "Far away, {intro}, lived {a_hero} called {hero}.",
    "This is the story of {hero}, {a_hero} who lived {intro}.",
    "There was once {a_hero} named {hero}. {he} lived {intro}.",
    "Not [so |]long ago, {intro}, there was {a_hero} named {hero}.",
    "Do you know the story of {hero}? {he} was {a_hero} who lived {intro}.",
]
DETAILS = [
    "{he} had {look} and loved {food}.", "{he} had {look}.", "{he} loved {food} more than anything.",
    "[Everyone|Everybody] {place} knew {him}.", "",
    "{he} was always [hungry|busy|friendly] and loved {food}.",
]
MEET = ["Just then, {pal} the {pal_kind} came by.", "{pal} the {pal_kind} [saw this and came closer|heard {him}].",
        "Luckily, {his} friend {pal} the {pal_kind} was [near|at home].",
        "Then {he} met {pal}, {a_pal} with {pal_look}.",
        "Soon {pal} the {pal_kind} [walked by|looked over the wall]."]
ASK = ['"[What is wrong|What happened|Why are you so sad]?" [asked {pal}|{pal_he} asked].',
       '"Can I help you?" [asked {pal}|{pal_he} asked].', '"You look sad, {hero}," said {pal}.']
THANKS = ['"Thank you, {pal}!" [said {hero}|{hero} cried|laughed {hero}].',
          '"I could not do it without you," said {hero}.',
          '"You are a true friend, {pal}," [said|whispered] {hero}.', "",
          '"What would I do without you?" [asked|laughed] {hero}.']
FEAST = ["That [evening|night], the two friends shared {food}.",
        "They [celebrated|sat together] with {food} and {pal_food}.",
         "Then they went home and had {food}.", "", ""]
DAY = "One [sunny|cold|windy|rainy|quiet|bright] [morning|day|afternoon]"
LESSONS = ["The end.", "And so the {trait} {kind} was happy.", "", "", "", "Two friends can do more than one.",
        "That is what friends are for.", "And if you go there, you can still [meet|see] the {trait} {kind}."]

ASKS = ["[Tell me|Write|Tell|I would like] a [short |]story about [{hero} the {kind}|{a_hero}|a {kind} named "
        "{hero}|{a_hero} named {hero}|a {kind}].",
        "[Tell me|Write|Please tell me] a [short |]story about a {kind} {topic}.",
        "[Tell me|Write|I would like] a story about {hero} the {kind} {topic}.",
        "[Tell me|Write] [about|a story about] a {trait} {kind} [and {a_obj}|and a {pal_kind}|{place}].",
        "[Can you tell|Could you tell|Please tell] me a story about {hero} and {pal}?",
        "[Tell me|I would like|Write] a story [about|with] {theme}.", "Tell me a story."]
QUESTIONS = [("Who helped {hero}?", "{pal} the {pal_kind} helped {hero}."), ("Where did {hero} live?",
             "{hero} lived {intro}."),
             ("Who was {hero}?", "{hero} was {a_hero}."), ("What was the name of the friend?",
             "The friend was {pal}, {a_pal}."),
             ("What did {hero} like to eat?", "{hero} loved {food}.")]
SMALL_TALK = [("Hello!", "Hello! Would you like to hear a story?"), ("Who are you?",
        "I am a storyteller. I know stories about friends."),
              ("Thank you!", "You are welcome! Come back for another story."), ("Good night!",
              "Good night! Sleep well.")]
SYSTEM = "You are a [friendly|helpful|kind] storyteller."
