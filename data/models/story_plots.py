"""The ten plots of the story grammar: what happens."""

from story_parts import ASK, DAY, FEAST, MEET, THANKS

# plot: (what the hero does, what the story is about, sentences)
# Each inner list is one place in the story: one of its lines is taken.
PLOTS = {
    "lost": ("who lost {a_obj}", "a lost {obj}", [
        ["{he} had {a_obj}, a gift from {his} {elder}. {magic}.", "{his} {elder} had given {him} {a_obj}. {magic}."],
        [DAY + ", the {obj} was gone.", DAY + ", {hero} could not find the {obj}.", DAY + ", {hero} lost the {obj}."],
        ["{hero} looked {spot1}, but [there was only a snail|found only a feather|found nothing but dust].",
         "{he} looked [everywhere|all day] and even {spot1}, but it was not there."],
        MEET, ASK, ['"I lost my {color} {obj}," said {hero}.', '"My {obj} is gone," {hero} [said|cried].'],
        ['"[Let us look together|I will help you|Four eyes see more than two]," said {pal}.'],
        ["They looked until [the sun went down|the moon came up]. At last, {pal} saw something {color} {spot2}. It "
         "was the {obj}!",
         "They walked slowly and looked [carefully|at every step]. {spot2}, {pal} found the {color} {obj}."],
        THANKS, ["From that day on, the {obj} {use}, and {hero} [never lost it again|took good care of it].",
                 "After that, the {color} {obj} {use}, and {hero} always thought of {pal}."]]),
    "race": ("who ran a race", "a race", [
        [DAY + ", there was a big race {place}. The prize was {a_obj}.",
         "Every [spring|summer|autumn] there was a race {place}, and the winner got {a_obj}."],
        ["{hero} wanted to win [it more than anything|the {obj} for {his} {elder}].",
         '"I will win that {obj}," said {hero}.'],
        ["{he} ran [fast|like the wind], but {he} [fell over a root|slipped in the mud|tripped on a stone].",
         "At first {he} was in front, but then {he} [fell over a root|slipped in the mud|tripped on a stone]."],
        ["{pal} the {pal_kind}, who was [also in the race|just behind {him}], stopped at once."],
        ['"Are you hurt?" asked {pal}. "[Take my hand|Lean on me], {hero}."',
         '"[Get up|Come on], {hero}, we will finish together," said {pal}.'],
        ["So {hero} and {pal} [walked|limped] to the end side by side. They were last, but everybody "
         "[cheered|clapped].",
         "They crossed the line together, and the crowd [cheered|clapped]."],
        THANKS,
        ["[Nobody remembers who won|The winner smiled and gave them the {obj}], but everyone {place} remembers the "
         "friends who [stopped|came in last].",
         "{hero} did not win the {color} {obj}, but {he} won a friend, and that was [better|worth more]."]]),
    "storm": ("who was in a storm", "a storm", [
        ["One [evening|night], a [great|terrible|dark] storm came. The wind [howled|roared], and the rain "
         "fell {place}.",
         "One [evening|night], the sky turned black, and a [great|terrible] storm came."],
        ["{hero} wanted to save {his} {color} {obj}, which was still outside.",
         "{he} had {a_obj}. {magic}. Now the wind blew it away."],
        ["{he} ran out, but the wind was too strong and pushed {him} [back|into the mud].",
         "{he} tried to [reach|catch] it, but {he} was not [strong|fast] enough."],
        ["Then there was a knock. It was {pal} the {pal_kind} with a long rope.",
         "{pal} the {pal_kind} came through the rain with a rope."],
        ['"[Hold the rope|Hold on to me]!" [cried|shouted] {pal}.',
         '"[We must be quick|Do not be afraid], {hero}," said {pal}.'],
        ["Together they [pulled and pulled|worked all night] until the {obj} was safe inside.",
         "{hero} held the rope, and {pal} [crawled|went] out and brought the {obj} back."],
        THANKS,
        ["In the morning the sun came out, and the {color} {obj} was [dry|safe]. {hero} was not afraid of "
         "storms anymore.",
         "When the storm was over, the {obj} {use}, and {hero} and {pal} [laughed about the wind|told everyone "
         "about that night]."]]),
    "riddle": ("who solved a riddle", "a riddle", [
        [DAY + ", {hero} found a [stone|heavy|wooden] door {spot1}. [Behind it lay|It was guarding] {a_obj}."],
        ['"Answer my riddle," said the door. "{riddle}?"', 'The door [spoke|asked in a deep voice]: "{riddle}?"'],
        ['"Is it {wrong}?" asked {hero}. "[No|Wrong]," said the door.',
         '"That must be {wrong}," said {hero}, but the door [stayed shut|only laughed].'],
        MEET, ['"[Let us think|We can solve it together]," said {pal}.', '"Tell me the riddle," said {pal}.'],
        ["{hero} {hint}. \"I know! It is {answer}!\"",
         "Then {hero} {hint} and [smiled|jumped up]. \"It is {answer}!\""],
        ["The door opened, and there was the {color} {obj}.",
         '"[Right|Correct]," said the door, and it opened. Inside was the {obj}.'],
        THANKS, ["After that, the {obj} {use}, and {hero} [loved|collected] riddles.",
                 "{hero} and {pal} shared the {color} {obj} and asked riddles [all evening|all the way home]."]]),
    "cake": ("who baked a cake", "a {cake} cake", [
        ["It was the birthday of {his} friend {pal} the {pal_kind}, and {hero} wanted to bake a {cake} cake.",
         "{hero} wanted to bake a {cake} cake for {pal} the {pal_kind}."],
        ["{he} mixed flour, eggs and [milk|butter], but {he} [took salt instead of sugar|forgot the sugar].",
         "{he} put it in the oven and fell asleep. [Soon|When {he} woke up], the cake was [black|burnt]."],
        ['"This is [terrible|the worst cake in the world]," said {hero}.',
         "{hero} [sat down and cried|did not know what to do]."],
        ["[Then|Just then] {pal} [came in|knocked at the door].", "{pal} [smelled|saw] it through the window."],
        ['"Do not worry," said {pal}. "We will bake a new one together."',
         '"My first cake was [bad|burnt] too," [said|laughed] {pal}.'],
        ["{hero} mixed, and {pal} watched the oven. This time the {cake} cake was [perfect|soft and sweet].",
         "They tried again, step by step, and soon the whole house smelled of {cake}."],
        THANKS, ["They gave a piece to everyone {place}. It was the best birthday of all.",
                 "And every year since then, {hero} and {pal} bake a {cake} cake together."]]),
    "home": ("who could not find the way home", "the way home", [
        [DAY + ", {hero} went for a long walk with {his} {color} {obj}.",
         DAY + ", {hero} went to look for [berries|flowers], with only {a_obj} in {his} bag."],
        ["Suddenly there was [fog|snow] everywhere, and {he} could not find the way home.",
         "When it [got dark|began to snow], {he} did not know the way home."],
        ["{he} followed [a path|some tracks], but {he} only came back to the same tree.",
         "{he} [called|shouted] for help, but [only the wind answered|nobody answered]."],
        MEET, ['"I am lost," said {hero}. "I live {place}."',
        '"[How do I get home|Where is my house]?" asked {hero}.'],
        ['"[Look at the stars|Follow the stream|Follow my voice]," said {pal}. "We will find it."',
         '"I know that place," said {pal}. "[Come with me|Give me your hand]."'],
        ["They walked [side by side|hand in hand] until they saw a light in {his} window.",
         "{hero} held the {obj}, {pal} sang, and soon they saw {his} house."],
        THANKS, ["{hero} gave {pal} the {color} {obj}, so that {pal_he} would always find the way back.",
                 "After that, the {obj} {use}, and {pal} visited {hero} every [week|Sunday]."]]),
    "friend": ("who found a new friend", "a new friend", [
        ["{hero} had no one to play with and often felt lonely.",
         "{he} had {a_obj}, but nobody to [share it with|play with]."],
        [DAY + ", {pal}, {a_pal} with {pal_look}, moved into the house next door."],
        ["{hero} wanted to say hello, but {he} was too [nervous|afraid] and hid {spot1}.",
         "{hero} opened {his} mouth to say hello, but no word came out, and {he} ran away."],
        ["The next day, {he} put {his} {color} {obj} in front of {pal_his} door with a note.",
         "Then {he} had an idea. {he} took {his} {color} {obj} and knocked at the door."],
        ['"What a beautiful {obj}!" said {pal}. "Will you [show it to me|play with me]?"',
         '"Is this {obj} yours?" asked {pal}. "[I like it|It is lovely]."'],
        ['"[Yes|Of course|Gladly]," [said|whispered] {hero}, and {his} heart [jumped|felt light].'],
        FEAST, ["Since that day, {hero} and {pal} meet {spot2} every day, and the {obj} belongs to both of them.",
                "{hero} was never lonely again, and the {color} {obj} {use}."]]),
    "machine": ("who fixed a {machine}", "a broken {machine}", [
        [DAY + ", the old {machine} {place} stopped. [Everybody was worried|Nobody knew why].",
         "Everyone {place} needed the {machine}, but " + "[one morning|one day] it stopped."],
        ['"I can fix it," said {hero}.', "{hero} took {his} tools and [went|ran] to the {machine}."],
        ["{he} [turned every screw|hit it with a hammer|kicked it twice], but the {machine} did not move.",
         "{he} gave it [a lot of oil|new paint], but it only [coughed|groaned]."],
        MEET, ['"[Listen|Wait], {hero}," said {pal}. "There is a [strange|small] sound inside."',
        '"Let us look inside first," said {pal}.', '"Did you look inside?" asked {pal}.'],
        ["They opened the little door and found [a bird nest|a family of ants|a sleeping bat|a lost sock] and "
         "{a_obj} between the wheels."],
        ["{hero} carefully took the {obj} out, and {pal} [cleaned|turned] the wheels. The {machine} began to "
         "[hum|move].", "{pal} held the light while {hero} pulled out the {obj}. Slowly, the {machine} began to turn."],
        THANKS, ["Soon everything was well again {place}, and the {color} {obj} {use}.",
                 "Since then, whenever something is broken {place}, people call {hero} and {pal}."]]),
    "song": ("who wanted to sing", "a song", [
        ["{hero} wanted to sing at the [spring|summer|autumn|winter] festival {place}.",
         "{hero} loved to sing, but only when {he} was alone."],
        [DAY + ", {he} stood on the stage, but {his} voice was [gone|as small as a bee].",
         DAY + ", {he} tried to sing for {his} {elder}, but {he} forgot every word."],
        ["{he} ran away and hid {spot1}.", '"I will never sing again," said {hero}.'],
        MEET, ASK, ['"[Take my {color} {obj}|Hold my {color} {obj}]," said {pal}. "It always makes me brave."',
        '"Look only at me and my {color} {obj}," said {pal}, "and sing for me alone."'],
        ["{hero} looked at the {obj} and began to sing. [First softly, then louder|Soon everybody sang "
         "with {him}].", "This time {hero} held the {obj} and sang, and the song [flew over the roofs|was "
                         "clear and warm]."],
        THANKS, ["Now {hero} sings every [evening|Sunday], and {pal} always sits in front with the {color} {obj}.",
                 "The {obj} was not magic, of course. {hero} had been brave all along."]]),
    "garden": ("who planted a seed", "a garden", [
        ["{his} {elder} gave {him} a seed and {a_obj}.", DAY + ", {hero} found a seed {spot1}, next to {a_obj}."],
        ["{he} planted the seed and waited, but nothing grew.",
         "{he} put it in the ground and looked at it every hour."],
        ["{he} gave it [more and more water|milk|soup], but [it did not help|still nothing came].",
         '"Grow!" [shouted|cried] {hero}, but the seed did not listen.'],
        MEET, ['"What are you doing?" asked {pal}. "I want a flower," said {hero}.',
        '"[It is broken|My seed is asleep]," said {hero}.'],
        ['"[A seed needs time|Good things need time|You must be patient]," said {pal}. "[Let us wait together|Tell '
         'it a story]."'],
        ["So they sat down every evening with the {obj} and told stories. [After a week|One morning], there was a "
         "[tiny|small] green leaf.",
         "They waited through sun and rain. Then, [after a month|one morning], a [red|golden|white] flower opened."],
        THANKS, ["{hero} named the flower {pal}, and the {color} {obj} still stands next to it.",
                 "Today there is a whole garden {place}, and {hero} gives a seed to every visitor."]]),
}
